/** The names that the DNS server of the tests knows, as data, and what it answers for each. */
import type { Answer } from 'dns-packet';
import type { Trouble } from './dns-troubles.ts';

export type RecordType = 'MX' | 'A' | 'AAAA' | 'TXT' | 'PTR' | 'CNAME';

export interface Question {
  readonly type: RecordType;
  /** In lower case. */
  readonly name: string;
}

/** All that is known about a name. A type that is absent has no records. */
export interface Entry {
  /** Preference and host. `.` as the host is a null MX. */
  readonly MX?: readonly (readonly [number, string])[];
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly TXT?: readonly string[];
  readonly PTR?: readonly string[];
  readonly CNAME?: string;
  /** Seconds. @default 300 */
  readonly ttl?: number;
  /** For every question about the name, or for the types that it names. */
  readonly trouble?: Trouble | Partial<Record<RecordType, Trouble>>;
}

/**
 * By name, in lower case. `*.example.test` is for all names below `example.test` that have no entry of their own. A
 * function makes the entry from the question. A name without an entry does not exist.
 */
export type Zone = Readonly<Record<string, Entry | ((question: Question) => Entry | undefined)>>;

export interface ZoneAnswer {
  readonly exists: boolean;
  readonly records: readonly Answer[];
  readonly trouble: Trouble | undefined;
}

/** A loop of CNAMEs is cut here, as a server would that follows it. */
const MOST_ALIASES = 30;

export function answerFrom(zone: Zone, question: Question): ZoneAnswer {
  const entry = entryOf(zone, question);
  const records: Answer[] = [];
  let { name } = question;
  let at = entry;
  for (let aliases = 0; aliases < MOST_ALIASES && at?.CNAME && question.type !== 'CNAME'; aliases += 1) {
    records.push({ type: 'CNAME', name, ttl: at.ttl ?? 300, data: at.CNAME });
    name = at.CNAME.toLowerCase().replace(/\.$/, '');
    at = entryOf(zone, { ...question, name });
  }
  if (at) records.push(...recordsOf(at, { ...question, name }));
  return { exists: at !== undefined, records, trouble: troubleOf(entry, question.type) };
}

function entryOf(zone: Zone, question: Question): Entry | undefined {
  const labels = question.name.split('.');
  const wildcards = labels.map((_, index) => ['*', ...labels.slice(index + 1)].join('.'));
  for (const key of [question.name, ...wildcards]) {
    const entry = Object.hasOwn(zone, key) ? zone[key] : undefined;
    if (entry) return typeof entry === 'function' ? entry(question) : entry;
  }
  return undefined;
}

function troubleOf(entry: Entry | undefined, type: RecordType): Trouble | undefined {
  const trouble = entry?.trouble;
  const isByType = typeof trouble === 'object' && !('delayMs' in trouble);
  return isByType ? trouble[type] : trouble;
}

function recordsOf(entry: Entry, { name, type }: Question): Answer[] {
  const common = { name, ttl: entry.ttl ?? 300 };
  switch (type) {
    case 'MX':
      return (entry.MX ?? []).map(([preference, exchange]) => ({
        ...common,
        type,
        data: { preference, exchange },
      }));
    case 'TXT':
      return (entry.TXT ?? []).map((text) => ({ ...common, type, data: text.match(/.{1,255}/gs) ?? [''] }));
    case 'CNAME':
      return entry.CNAME === undefined ? [] : [{ ...common, type, data: entry.CNAME }];
    default:
      return (entry[type] ?? []).map((data) => ({ ...common, type, data }));
  }
}
