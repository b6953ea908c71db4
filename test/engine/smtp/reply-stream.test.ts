import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Arrival,
  createReplyStream,
  MAX_REPLY_BYTES,
  MAX_REPLY_LINES,
} from '../../../src/engine/smtp/reply-stream.ts';

const arrivals = (...chunks: readonly (string | Buffer)[]): Arrival[] => {
  const stream = createReplyStream();
  return chunks.flatMap((chunk) => stream.push(Buffer.from(chunk as string)));
};
const reply = (code: number, ...lines: string[]): Arrival => ({ kind: 'reply', reply: { code, lines } });

it.each<[string, string | Buffer, Arrival]>([
  ['a reply of one line', '250 OK\r\n', reply(250, 'OK')],
  ['a bare line feed', '250 OK\n', reply(250, 'OK')],
  ['two carriage returns', '250 OK\r\r\n', reply(250, 'OK')],
  ['a code alone', '250\r\n', reply(250, '')],
  ['a code and a space', '250 \r\n', reply(250, '')],
  ['a tab for the space', '250\tOK\r\n', reply(250, 'OK')],
  ['several lines', '250-mx\r\n250-SIZE\r\n250 HELP\r\n', reply(250, 'mx', 'SIZE', 'HELP')],
  ['several lines without text', '250-\r\n250\r\n', reply(250, '', '')],
  ['lines whose codes differ, by the last one', '250-mx\r\n550 no\r\n', reply(550, 'mx', 'no')],
  [
    'a line break within a text',
    '550-no such\r\nuser\r\n550 here\r\n',
    reply(550, 'no such', 'user', 'here'),
  ],
  ['an empty line within a reply', '550-no\r\n\r\n550 user\r\n', reply(550, 'no', '', 'user')],
  ['an empty line before a reply', '\r\n250 OK\r\n', reply(250, 'OK')],
  ['an empty line of a bare line feed before a reply', '\n250 OK\r\n', reply(250, 'OK')],
  ['UTF-8', '550 Postfach unbekannt – Grüße\r\n', reply(550, 'Postfach unbekannt – Grüße')],
  ['bytes that are not UTF-8', Buffer.from('550 \xe9t\xe9\r\n', 'latin1'), reply(550, '\ufffdt\ufffd')],
  ['NUL and other control characters', '250 O\0K\x1b[2J\r\n', reply(250, 'O K [2J')],
])('reads %s', (_, bytes, expected) => {
  expect(arrivals(bytes)).toEqual([expected]);
});

it('reads replies that come together', () => {
  expect(arrivals('220 a\r\n250-b\r\n250 c\r\n421 d\r\n')).toEqual([
    reply(220, 'a'),
    reply(250, 'b', 'c'),
    reply(421, 'd'),
  ]);
});

it.each(['250 OK', '250-OK\r\n', '25', '', '\r\n'])('waits for the rest of %j', (bytes) => {
  expect(arrivals(bytes)).toEqual([]);
});

it.each([
  'HTTP/1.1 400 Bad Request\r\n',
  'SSH-2.0-OpenSSH_9.9\r\n',
  '+OK POP3 ready\r\n',
  'hello\n',
  '25 OK\r\n',
  '25\n',
  '2500 OK\r\n',
  '150 wait\r\n',
  '650 what\r\n',
  ' 250 OK\r\n',
  '250OK\r\n',
  '\0\0\0\0',
])('recognises that %j is not SMTP', (bytes) => {
  expect(arrivals(bytes)).toEqual([expect.objectContaining({ kind: 'not-smtp' })]);
});

it.each(['H', '\x16\x03', '2x', '250x', '250 OK\r\nx'])(
  'recognises %j as no SMTP without a line end',
  (bytes) => {
    expect(arrivals(bytes).at(-1)).toMatchObject({ kind: 'not-smtp' });
  },
);

it('shows a bounded part of text that is not SMTP', () => {
  const [arrival] = arrivals(`HTTP ${'x'.repeat(5000)}\r\n`);
  expect(arrival).toMatchObject({ kind: 'not-smtp', text: expect.stringMatching(/^HTTP x{195}$/) });
});

it('shows a bounded part of text that is not SMTP after carriage returns', () => {
  const [arrival] = arrivals(`${'\r'.repeat(8)}${'x'.repeat(5000)}\n`);
  expect(arrival).toMatchObject({ kind: 'not-smtp', text: `${' '.repeat(8)}${'x'.repeat(192)}` });
});

describe('a reply that does not end', () => {
  it('is read up to its limit', () => {
    const longest = `250 ${'x'.repeat(MAX_REPLY_BYTES - 6)}\r\n`;
    expect(arrivals(longest, longest)).toHaveLength(2);
    expect(arrivals(`250 x${longest.slice(4)}`)).toEqual([{ kind: 'flood' }]);
  });

  it('counts as a flood without line ends', () => {
    expect(arrivals(`250 ${'x'.repeat(MAX_REPLY_BYTES)}`)).toEqual([{ kind: 'flood' }]);
  });

  it('counts as a flood with too many lines', () => {
    expect(arrivals('250-\n'.repeat(MAX_REPLY_LINES))).toEqual([]);
    expect(arrivals('250-\n'.repeat(MAX_REPLY_LINES + 1))).toEqual([{ kind: 'flood' }]);
  });

  it('counts as a flood with empty lines', () => {
    expect(arrivals('\r\n'.repeat(MAX_REPLY_BYTES))).toEqual([{ kind: 'flood' }]);
  });
});

it.each(['SSH-2.0\r\n', `250 ${'x'.repeat(MAX_REPLY_BYTES)}`])('reads nothing after the end', (end) => {
  expect(arrivals(end, '250 OK\r\n')).toHaveLength(1);
});

/** What servers send, and what they should not. */
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.integer({ min: 200, max: 599 }), fc.constantFrom(' ', '-', '\t', '')) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(1000), fc.constantFrom('', 'x', ' ')) },
);
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', 'x'.repeat(70_000)),
);
const lineEnd = fc.constantFrom('\r\n', '\n', '\r\r\n', '');
const bytes = fc
  .array(fc.tuple(line, text, lineEnd), { maxLength: 8 })
  .map((parts) =>
    Buffer.from(parts.map(([[code, mark], rest, end]) => `${code}${mark}${rest}${end}`).join('')),
  );

it('gives the same replies however the bytes are split', () => {
  const withoutText = (arrival: Arrival) => (arrival.kind === 'not-smtp' ? arrival.kind : arrival);
  fc.assert(
    fc.property(bytes, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (all, sizes) => {
      const stream = createReplyStream();
      const cut: Arrival[] = [];
      for (let from = 0, index = 0; from < all.length; index += 1) {
        const size = sizes[index % sizes.length]!;
        cut.push(...stream.push(all.subarray(from, from + size)));
        from += size;
      }
      expect(cut.map(withoutText)).toEqual(createReplyStream().push(all).map(withoutText));
    }),
  );
});
