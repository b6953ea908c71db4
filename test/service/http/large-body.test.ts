/** Bodies with a large field, which arrive in any pieces. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { declareRequestState } from '../../../src/service/access/request-state.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { readBodies } from '../../../src/service/http/body-types.ts';
import { answerFailures } from '../../../src/service/http/failure-answers.ts';
import { readLargeBodies } from '../../../src/service/http/large-body.ts';
import { type LargeField, textsOf } from '../../../src/service/http/large-field.ts';
import { LargeForm } from '../../../src/service/http/large-form.ts';
import { LargeJson } from '../../../src/service/http/large-json.ts';
import { collectParameters } from '../../../src/service/http/parameters.ts';
import { FORM, multipart } from '../testing.ts';

const KIB = 1024;
const LIMIT = 4 * KIB;
const LARGE = 256 * KIB;

/** Keeps what it gets. */
class KeptField implements LargeField {
  texts: string[] = [];
  list: unknown[] | undefined;
  isClosed = false;
  most = 0;

  async addText(text: string) {
    this.most = Math.max(this.most, text.length);
    this.texts.push(text);
  }

  async addEntries(entries: readonly unknown[]) {
    this.list = [...(this.list ?? []), ...entries];
    if (entries.some((entry) => typeof entry !== 'string')) throw new SyntaxError('no text');
  }

  async end() {
    return this.list ?? this.texts.join('');
  }

  async close() {
    this.isClosed = true;
  }
}

/** A route that returns what it got, and the fields that were opened. */
function start(isAccepted = true) {
  const app = fastify();
  const fields: KeptField[] = [];
  declareRequestState(app);
  answerFailures(app, 100, silentLog);
  readBodies(app);
  app.register(async (scope) => {
    readLargeBodies(scope);
    scope.addHook('onRequest', async (request) => {
      if (!isAccepted) return;
      const open = () => fields[fields.push(new KeptField()) - 1]!;
      request.largeBody = { bytes: LARGE, field: 'emails', open };
    });
    scope.post('/', { bodyLimit: LIMIT }, async (request) => ({
      got: Object.fromEntries(await collectParameters(request, ['emails'])),
    }));
  });
  onTestFinished(() => app.close());
  const send = async (type: string, payload: string | Readable, more: Record<string, string> = {}) => {
    const headers = { 'content-type': type, ...more };
    const response = await app.inject({ method: 'POST', url: '/', headers, payload });
    type Body = { got?: Record<string, unknown[]>; message?: string };
    return { status: response.statusCode, ...response.json<Body>() };
  };
  return { app, fields, send };
}

function* cut(body: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let [at, turn] = [0, 0]; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield body.subarray(at, at + size);
    at += size;
  }
}

/** A stream puts together what arrives in one turn of the event loop. */
async function* inTurns(body: Buffer): AsyncGenerator<Buffer> {
  for (const byte of body) {
    await setImmediate();
    yield Buffer.of(byte);
  }
}

const JSON_TYPE = 'application/json';
const SIZES = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
const PART = fc.constantFrom(
  'a@b.example',
  ...[',', '\n', '"', '\\', '%', '+', '&', '=', 'é', '\u{1f600}', 'Σ', ' '],
);
const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(PART).map((parts) => parts.join('')),
);
const OTHER = fc.record({ url: TEXT, note: TEXT });

/** Takes the field out of a body that arrives in pieces of these sizes. */
async function lift(Lifter: typeof LargeJson | typeof LargeForm, body: string, sizes: readonly number[]) {
  const field = new KeptField();
  const lifter = new Lifter('emails', field, LARGE);
  async function* pieces() {
    yield* cut(Buffer.from(body), sizes);
  }
  for await (const text of textsOf(pieces())) await lifter.add(text);
  return {
    rest: String(Buffer.concat(await lifter.end())),
    emails: lifter.isLifted ? await field.end() : undefined,
  };
}

it('reads a text in JSON as a parser does, in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, OTHER, SIZES, fc.boolean(), async (emails, other, sizes, isFirst) => {
      const value = isFirst ? { emails, ...other } : { ...other, emails };
      const { rest, emails: read } = await lift(LargeJson, JSON.stringify(value), sizes);
      expect([read, JSON.parse(rest)]).toEqual([emails, { ...other, emails: '' }]);
    }),
  );
});

it('reads a list in JSON as a parser does, in whatever pieces it arrives', async () => {
  const [lists, indents] = [fc.array(TEXT, { maxLength: 8 }), fc.integer({ min: 0, max: 2 })];
  await fc.assert(
    fc.asyncProperty(lists, OTHER, SIZES, indents, async (emails, other, sizes, indent) => {
      const body = JSON.stringify({ note: other.note, emails, url: other.url }, undefined, indent);
      const { rest, emails: read } = await lift(LargeJson, body, sizes);
      expect([read, JSON.parse(rest)]).toEqual([emails, { ...other, emails: [] }]);
    }),
  );
});

it('reads a form as a parser does, in whatever pieces it arrives', async () => {
  const wellFormed = TEXT.filter((text) => !/[\p{Cs}\ufffd]/u.test(text));
  await fc.assert(
    fc.asyncProperty(wellFormed, wellFormed, SIZES, fc.boolean(), async (emails, url, sizes, isFirst) => {
      const body = String(new URLSearchParams(isFirst ? { emails, url } : { url, emails }));
      const { rest, emails: read } = await lift(LargeForm, body, sizes);
      const others = Object.fromEntries(new URLSearchParams(rest));
      expect([read, others]).toEqual([emails, { url, emails: '' }]);
    }),
  );
});

it('takes the bytes of a form as they are', async () => {
  const { send } = start();
  const body = '%65mails=é+%F0%9F%98%80,b&url=x&&y';
  const lifted = { emails: 'é \u{1f600},b', rest: '%65mails=&url=x&&y' };
  for (const size of [1, 2, 3, 7, 100]) expect(await lift(LargeForm, body, [size])).toEqual(lifted);
  expect((await send(FORM, Readable.from([Buffer.from(body)]))).got).toEqual({
    ...{ emails: ['é \u{1f600},b'], url: ['x'], y: [''] },
  });
});

it('reads a field and a file of a multipart body', async () => {
  const { send, fields } = start();
  const text = 'ada@b.example\n'.repeat(3_000);
  const sent = multipart([
    ['url', 'x'],
    ['emails', text],
  ]);
  const chunks = (payload: string) => Readable.from(cut(Buffer.from(payload), [999]));
  const got = { url: ['x'], emails: [text] };
  expect(await send(sent.type, chunks(sent.payload))).toEqual({ status: 200, got });
  const file = sent.payload.replace('name="emails"', 'name="emails"; filename="list.csv"');
  expect((await send(sent.type, chunks(file))).got).toEqual(got);
  const json = sent.payload
    .replace('name="emails"\r\n', 'name="emails"\r\nContent-Type: application/json\r\n')
    .replace(text, JSON.stringify(['a', 'b,c']));
  expect((await send(sent.type, chunks(json))).got).toEqual({ url: ['x'], emails: [['a', 'b,c']] });
  expect((await send(sent.type, chunks(json.replace('["a"', '["a"],"url":["a"')))).status).toBe(400);
  expect(fields.every(({ isClosed }) => isClosed)).toBe(true);
});

it('hands the field over in pieces, so that the body is never whole in memory', async () => {
  const { send, fields } = start();
  const emails = 'a@b.example,'.repeat(20_000);
  const body = Buffer.from(JSON.stringify({ emails }));
  expect((await send(JSON_TYPE, Readable.from(cut(body, [1_000])))).status).toBe(200);
  expect(fields[0]!.most).toBeLessThan(emails.length / 2);
});

it.each([
  ['a text that does not end', JSON_TYPE, '{"emails":"a', 400],
  ['a list that does not end', JSON_TYPE, '{"emails":["a",', 400],
  ['a list with an empty entry', JSON_TYPE, '{"emails":["a",,"b"]}', 400],
  ['a list with a comma at its end', JSON_TYPE, '{"emails":["a",]}', 400],
  ['a list that another bracket closes', JSON_TYPE, '{"emails":["a"}}', 400],
  ['a broken escape', JSON_TYPE, '{"emails":"\\x"}', 400],
  ['a line break in a text', JSON_TYPE, '{"emails":"a\nb"}', 400],
  ['a number in a list', JSON_TYPE, '{"emails":[7]}', 400],
  ['a list in a list', JSON_TYPE, '{"emails":["a",["b"]]}', 400],
  ['two values in JSON', JSON_TYPE, '{"emails":"a","emails":"b"}', 400],
  ['an escaped name and the same one', JSON_TYPE, '{"emails":"a","\\u0065mails":"b"}', 400],
  ['a list instead of an object', JSON_TYPE, '["a"]', 400],
  ['a broken rest', JSON_TYPE, '{"emails":"a",}', 400],
  ['two values in a form', FORM, `emails=a&emails=b&x=${'y'.repeat(LIMIT)}`, 400],
  ['a broken escape in a form', FORM, `emails=${'y'.repeat(LIMIT)}%zz`, 400],
  ['a broken character in a form', FORM, `emails=${'y'.repeat(LIMIT)}%e2%82&x=`, 400],
  ['a long rest in JSON', JSON_TYPE, `{"x":"${'y'.repeat(2 * LIMIT)}","emails":"a"}`, 413],
  ['a long rest in a form', FORM, `emails=a&x=${'y'.repeat(2 * LIMIT)}`, 413],
  ['a long name in a form', FORM, 'y'.repeat(2 * LIMIT), 413],
  ['a long entry', JSON_TYPE, `{"emails":["${'y'.repeat(40 * LIMIT)}"]}`, 400],
])('refuses %s, and closes what it has opened', async (_, type, body, expected) => {
  const { send, fields } = start();
  const { status, message } = await send(type, Readable.from(cut(Buffer.from(body), [1_000])));
  expect([status, typeof message]).toEqual([expected, 'string']);
  expect(fields.map(({ isClosed }) => isClosed)).toEqual([true]);
});

it('reads a name once, however many colons follow it', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const body = `{"${'\\n'.repeat(1_000)}"${':'.repeat(1_000)}`;
  await lift(LargeJson, body, [999]);
  const read = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  expect(read).toBeLessThan(2 * body.length);
});

it('reads a long name of a form once, though it arrives a byte at a time', async () => {
  const search = vi.spyOn(String.prototype, 'search');
  onTestFinished(() => search.mockRestore());
  const body = `${'%61'.repeat(1_000)}=x&emails=a`;
  await lift(LargeForm, body, [1]);
  const read = search.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
  expect(read).toBeLessThan(50 * body.length);
});

it('puts a body together that arrives a byte at a time, so that each byte is no work of its own', async () => {
  const { send, fields } = start();
  const emails = 'a@b.example,'.repeat(50);
  const file = multipart([['emails', emails]]);
  for (const [type, body] of [
    [JSON_TYPE, JSON.stringify({ emails })],
    [FORM, `emails=${emails}`],
    [file.type, file.payload],
  ] as const)
    expect((await send(type, Readable.from(inTurns(Buffer.from(body))))).got).toEqual({ emails: [emails] });
  // A form keeps the end back, which may be the beginning of an escape.
  expect(fields.map(({ texts }) => texts.filter((text) => text !== '').length)).toEqual([1, 2, 1]);
});

it('refuses bytes that are not UTF-8', async () => {
  const { send } = start();
  for (const [type, text] of [
    [JSON_TYPE, '{"emails":"a'],
    [FORM, 'emails=a'],
  ] as const)
    expect((await send(type, Readable.from([Buffer.from(text), Buffer.from([0xff])]))).status).toBe(400);
});

it('takes a value of another kind as it is, so that the route can refuse it', async () => {
  const { send } = start();
  for (const value of [7, null, { a: 'b' }]) {
    const { got } = await send(JSON_TYPE, Readable.from([JSON.stringify({ emails: value })]));
    expect(got).toEqual({ emails: [value] });
  }
  expect((await send(JSON_TYPE, Readable.from(['{"url":"x"}']))).got).toEqual({ url: ['x'] });
});

const LENGTHS = [
  [JSON_TYPE, (size: number) => JSON.stringify({ emails: 'x'.repeat(size - '{"emails":""}'.length) })],
  [FORM, (size: number) => `emails=${'x'.repeat(size - 'emails='.length)}`],
] as const;

it('takes a body up to the larger limit if its credential was accepted, and up to the route’s limit otherwise', async () => {
  const [accepted, other] = [start(), start(false)];
  for (const [type, make] of LENGTHS) {
    for (const isAnnounced of [true, false]) {
      const send = ({ send: to }: typeof accepted, size: number) =>
        to(type, isAnnounced ? make(size) : Readable.from(cut(Buffer.from(make(size)), [1_000])));
      const tooLarge = (most: string) => ({ status: 413, message: `Expected a body of at most ${most}.` });
      expect((await send(accepted, LARGE)).status).toBe(200);
      expect(await send(accepted, LARGE + 1)).toEqual(tooLarge('256 KiB'));
      expect((await send(other, LIMIT)).status).toBe(200);
      expect(await send(other, LIMIT + 1)).toEqual(tooLarge('4 KiB'));
    }
  }
});

it('reads nothing of a body that announces too much', async () => {
  const { send } = start();
  let read = 0;
  const body = new Readable({
    read() {
      read += 1;
      this.push(Buffer.alloc(1_000, 'x'));
    },
  });
  const { status } = await send(JSON_TYPE, body, { 'content-length': String(LARGE + 1) });
  expect(status).toBe(413);
  expect(read).toBeLessThan(40);
});

it('answers a body that breaks off with a 400', async () => {
  const { send } = start();
  function* pieces() {
    yield Buffer.from('{"emails":"a');
    throw new Error('the client is gone');
  }
  const sent = send(JSON_TYPE, Readable.from(pieces())).catch(() => ({ status: 400 }));
  expect((await sent).status).toBe(400);
});
