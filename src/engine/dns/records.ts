/** Finds the answer to a question among the records of a message. */
import { isIP } from 'node:net';
import type { Answer as DnsRecord, StringAnswer } from 'dns-packet';
import type { Lookup, MxRecord } from './resolver.ts';

export type QuestionType = 'MX' | 'A' | 'AAAA' | 'TXT' | 'PTR';

export interface Question {
  /** As {@link toQuestionName} gives it. */
  readonly name: string;
  readonly type: QuestionType;
}

export interface DnsAnswer {
  readonly lookup: Lookup<string | MxRecord>;
  /** Seconds: the lowest TTL of all records used. It counts only if records were found. */
  readonly ttl: number;
}

/** Similar to BIND and Unbound, which follow 11 to 16 aliases. */
const MOST_ALIASES = 12;

/** The name in lower case without the dot at the end, or `undefined` if it cannot be a name in the DNS. */
export function toQuestionName(name: string): string | undefined {
  const plain = plainName(name);
  const isName = plain.length <= 253 && /^[!-~]+$/.test(plain) && plain.split('.').every(isLabel);
  return isName ? plain : undefined;
}

function isLabel(label: string): boolean {
  return label.length >= 1 && label.length <= 63;
}

/** Names are equal regardless of case (RFC 4343) and of the dot at the end. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

export function failed(code: string): DnsAnswer {
  return { lookup: { kind: 'failed', code }, ttl: 0 };
}

/** Finds the records at the end of the chain of CNAMEs that begins at the name (RFC 1034, section 3.6.2). */
export function followAliases(records: readonly DnsRecord[], { name, type }: Question): DnsAnswer {
  const lifetimes: number[] = [];
  let owner = name;
  for (let aliases = 0; aliases <= MOST_ALIASES; aliases += 1) {
    const own = records.filter((record) => isOrdinary(record) && plainName(record.name) === owner);
    const found = own.filter((record) => record.type === type);
    if (found.length > 0) {
      const values = found.map(readValue).filter((value) => value !== undefined);
      if (values.length < found.length) return failed('unreadable');
      return { lookup: { kind: 'found', records: values }, ttl: Math.min(...lifetimes, ...found.map(ttlOf)) };
    }
    const alias = own.find((record) => record.type === 'CNAME');
    // The server has followed the chain. There is no such record at its end.
    if (alias?.type !== 'CNAME') return { lookup: { kind: 'no-records' }, ttl: 0 };
    lifetimes.push(ttlOf(alias));
    owner = plainName(alias.data);
  }
  return failed('too many aliases');
}

function isOrdinary(record: DnsRecord): boolean {
  return record.type !== 'OPT' && record.class === 'IN';
}

/** A value with the highest bit set counts as 0 (RFC 2181, section 8). */
function ttlOf(record: DnsRecord): number {
  const ttl = record.type === 'OPT' ? 0 : (record.ttl ?? 0);
  return ttl > 0x7fffffff ? 0 : ttl;
}

/** The record's value, or `undefined` if it is cut off. */
function readValue(record: DnsRecord): string | MxRecord | undefined {
  if (record.type === 'MX')
    return { preference: record.data.preference!, exchange: plainName(record.data.exchange) };
  // One text may be cut into strings of 255 octets (RFC 7208, section 3.3).
  if (record.type === 'TXT') return Buffer.concat(record.data as Buffer[]).toString();
  // A, AAAA or PTR. The engine asks for no other types.
  const { type, data } = record as StringAnswer;
  if (type === 'PTR') return plainName(data);
  return isIP(data) ? data : undefined;
}
