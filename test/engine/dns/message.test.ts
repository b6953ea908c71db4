import dnsPacket, { type Answer as DnsRecord } from 'dns-packet';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { readAnswer, writeQuestion } from '../../../src/engine/dns/message.ts';
import { toQuestionName } from '../../../src/engine/dns/records.ts';

const ID = 4711;
const MX = { name: 'example.test', type: 'MX' } as const;
const RECURSION = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE;

const mx = (exchange: string, ttl = 300): DnsRecord => ({
  type: 'MX',
  name: 'example.test',
  ttl,
  data: { preference: 10, exchange },
});
const alias = (name: string, data: string, ttl = 300): DnsRecord => ({ type: 'CNAME', name, data, ttl });

function message(answers: DnsRecord[], overrides: dnsPacket.Packet = {}): Buffer {
  return dnsPacket.encode({
    type: 'response',
    id: ID,
    flags: RECURSION,
    questions: [{ name: 'example.test', type: 'MX' }],
    answers,
    ...overrides,
  });
}
const read = (bytes: Buffer) => readAnswer(bytes, MX, ID);
const failedWith = (code: string) => ({ lookup: { kind: 'failed', code }, ttl: 0 });

it.each([
  ['Example.TEST', 'example.test'],
  ['example.test.', 'example.test'],
  ['_dmarc.example.test', '_dmarc.example.test'],
  [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
])('asks for %s as %s', (name, asked) => {
  expect(toQuestionName(name)).toBe(asked);
});

it.each([
  '',
  '.',
  'a..test',
  '.test',
  'example.test..',
  'two words.test',
  'bücher.test',
  'a\u0000.test',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(126)}ab`,
])('cannot ask for "%s"', (name) => {
  expect(toQuestionName(name)).toBeUndefined();
});

it('asks with recursion, and offers datagrams of 1,232 bytes by EDNS', () => {
  const packet = dnsPacket.decode(writeQuestion(MX, ID, true));
  expect(packet).toMatchObject({ id: ID, flag_qr: false, flag_rd: true, questions: [MX] });
  expect(packet.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0 }]);
  expect(dnsPacket.decode(writeQuestion(MX, ID, false)).additionals).toEqual([]);
});

it('reads records and their lowest TTL', () => {
  expect(read(message([mx('mx1.example.test', 600), mx('MX2.Example.test.', 120)]))).toEqual({
    lookup: {
      kind: 'found',
      records: [
        { preference: 10, exchange: 'mx1.example.test' },
        { preference: 10, exchange: 'mx2.example.test' },
      ],
    },
    ttl: 120,
  });
});

it('reads a null MX as an empty name', () => {
  expect(read(message([mx('.')]))).toMatchObject({ lookup: { records: [{ exchange: '' }] } });
});

it('compares names without regard to case', () => {
  const answer = message([{ ...mx('mx.test'), name: 'eXample.test' } as DnsRecord], {
    questions: [{ name: 'EXAMPLE.test', type: 'MX' }],
  });
  expect(read(answer)).toMatchObject({ lookup: { kind: 'found' } });
});

it('takes a TTL with the highest bit for 0', () => {
  expect(read(message([mx('mx.test', 0x80000000)]))).toMatchObject({ ttl: 0 });
});

it('puts the strings of a TXT record together', () => {
  const question = { name: 'example.test', type: 'TXT' } as const;
  const answers: DnsRecord[] = [{ type: 'TXT', name: 'example.test', ttl: 60, data: ['v=spf1 ', '-all'] }];
  expect(readAnswer(message(answers, { questions: [question] }), question, ID)).toMatchObject({
    lookup: { records: ['v=spf1 -all'] },
  });
});

it('follows aliases, and takes their TTL into account', () => {
  const answers = [
    alias('example.test', 'B.test', 90),
    alias('b.test', 'c.test', 100),
    { ...mx('mx.test', 600), name: 'c.test' } as DnsRecord,
  ];
  expect(read(message(answers))).toEqual({
    lookup: { kind: 'found', records: [{ preference: 10, exchange: 'mx.test' }] },
    ttl: 90,
  });
});

it('finds no records at the end of an alias without any', () => {
  expect(read(message([alias('example.test', 'b.test')]))).toMatchObject({ lookup: { kind: 'no-records' } });
});

it.each([
  ['a loop', [alias('example.test', 'b.test'), alias('b.test', 'example.test')]],
  ['a name that is its own alias', [alias('example.test', 'example.test')]],
  [
    'an endless chain',
    Array.from({ length: 30 }, (_, n) => alias(n === 0 ? 'example.test' : `n${n}.test`, `n${n + 1}.test`)),
  ],
])('gives up on %s of aliases', (_, answers) => {
  expect(read(message(answers))).toEqual(failedWith('too many aliases'));
});

it.each<[string, DnsRecord]>([
  ['another name', { ...mx('mx.test'), name: 'other.test' } as DnsRecord],
  ['another type', { type: 'A', name: 'example.test', data: '192.0.2.1' }],
  ['another class', { ...mx('mx.test'), class: 'CH' } as DnsRecord],
])('does not use a record of %s', (_, record) => {
  expect(read(message([record]))).toMatchObject({ lookup: { kind: 'no-records' } });
});

it('reads no more than a thousand records', () => {
  const many = Array.from({ length: 1500 }, (_, n) => mx(`mx${n}.test`));
  const records = expect.objectContaining({ length: 1000 });
  expect(read(message(many))).toMatchObject({ lookup: { kind: 'found', records } });
});

it('reads no more than their names, because each can be thousands of pointers', () => {
  const { name } = dnsPacket as unknown as { name: { decode: (bytes: Buffer, offset: number) => string } };
  const names = vi.spyOn(name, 'decode');
  const many = Array.from(
    { length: 1500 },
    () => ({ type: 'A', name: 'a.test', data: '192.0.2.1' }) as const,
  );
  expect(read(message(many))).toMatchObject({ lookup: { kind: 'no-records' } });
  // The question has a name, too.
  expect(names).toHaveBeenCalledTimes(1001);
});

it.each([
  [3, { lookup: { kind: 'no-name' }, ttl: 0 }],
  [0, { lookup: { kind: 'no-records' }, ttl: 0 }],
  [2, failedWith('SERVFAIL')],
  [5, failedWith('REFUSED')],
  [11, failedWith('RCODE_11')],
  [1, 'not-understood'],
  [4, 'not-understood'],
])('reads response code %i', (rcode, expected) => {
  expect(read(message([], { flags: RECURSION | rcode }))).toEqual(expected);
});

it('reads a refusal that leaves the question out', () => {
  expect(read(message([], { flags: RECURSION | 5, questions: [] }))).toEqual(failedWith('REFUSED'));
});

it.each([
  ['is too short', Buffer.alloc(11)],
  ['is a question', message([], { type: 'query' })],
  ['has another id', message([mx('mx.test')], { id: ID + 1 })],
  ['is about another name', message([mx('mx.test')], { questions: [{ name: 'other.test', type: 'MX' }] })],
  ['is about another type', message([mx('mx.test')], { questions: [{ name: 'example.test', type: 'A' }] })],
  [
    'is about another class',
    message([mx('mx.test')], { questions: [{ name: 'example.test', type: 'MX', class: 'CH' }] }),
  ],
  ['has two questions', message([mx('mx.test')], { questions: [MX, MX] })],
  ['has records but no question', message([mx('mx.test')], { questions: [] })],
  ['denies the name but has no question', message([], { flags: RECURSION | 3, questions: [] })],
])('waits for the true answer when a message %s', (_, bytes) => {
  expect(read(bytes)).toBe('foreign');
});

it('sees that an answer is truncated, even where its counts are not', () => {
  const bytes = message([mx('mx.test')], { flags: RECURSION | dnsPacket.TRUNCATED_RESPONSE });
  expect(read(bytes)).toBe('truncated');
  expect(read(bytes.subarray(0, bytes.length - 5))).toBe('truncated');
});

it('does not take a referral for the absence of records', () => {
  const authorities: DnsRecord[] = [{ type: 'NS', name: 'test', data: 'ns.test' }];
  const soa: DnsRecord = { type: 'SOA', name: 'test', data: { mname: 'ns.test', rname: 'x.test' } };
  expect(read(message([], { flags: 0, authorities }))).toEqual(failedWith('referral'));
  expect(read(message([], { flags: 0, authorities: [soa] }))).toMatchObject({
    lookup: { kind: 'no-records' },
  });
  expect(read(message([], { authorities }))).toEqual(failedWith('referral'));
  expect(read(message([], { flags: 0 }))).toEqual(failedWith('referral'));
  expect(read(message([], { flags: dnsPacket.AUTHORITATIVE_ANSWER, authorities }))).toMatchObject({
    lookup: { kind: 'no-records' },
  });
  const cut = message([], { flags: 0, authorities });
  expect(read(cut.subarray(0, cut.length - 4))).toEqual(failedWith('referral'));
});

it('ignores faults in the other sections', () => {
  const bytes = message([mx('mx.test')], { additionals: [{ type: 'A', name: 'a.test', data: '192.0.2.1' }] });
  expect(read(bytes.subarray(0, bytes.length - 3))).toMatchObject({ lookup: { kind: 'found' } });
});

it('reports a message that ends within a record as unreadable', () => {
  const question = { name: 'example.test', type: 'A' } as const;
  const bytes = message([{ type: 'A', name: 'example.test', data: '192.0.2.1' }], { questions: [question] });
  for (let length = bytes.length - 1; length > bytes.length - 10; length -= 1) {
    expect(readAnswer(bytes.subarray(0, length), question, ID)).toEqual(failedWith('unreadable'));
  }
});

it('reads any bytes without an exception', () => {
  const good = message([alias('example.test', 'b.test'), { ...mx('mx.test'), name: 'b.test' } as DnsRecord]);
  const changes = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(changes, fc.nat(good.length), fc.uint8Array({ maxLength: 40 }), (bytes, length, tail) => {
      const copy = Buffer.concat([good.subarray(0, length), tail]);
      for (const [at, value] of bytes) if (at >= 2 && at < copy.length) copy[at] = value;
      const reading = read(copy);
      expect(typeof reading === 'string' || typeof reading.lookup.kind === 'string').toBe(true);
    }),
    { numRuns: 2000 },
  );
});
