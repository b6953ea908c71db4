/** The interface to the DNS that the engine uses. */
import type { Signal } from '../signal.ts';

export interface MxRecord {
  readonly preference: number;
  /** In lower case, without the dot at the end. Empty in a null MX (RFC 7505). */
  readonly exchange: string;
}

/** The outcome of a question. */
export type Lookup<Record> =
  | { readonly kind: 'found'; readonly records: readonly Record[] }
  /** NXDOMAIN: there is no such name. */
  | { readonly kind: 'no-name' }
  /** The name exists and has no record of this type. */
  | { readonly kind: 'no-records' }
  /** The lookup failed: `SERVFAIL`, `REFUSED`, or an unreadable message. */
  | { readonly kind: 'failed'; readonly code: string }
  /** No answer arrived before the signal. */
  | { readonly kind: 'no-answer' };

export interface Resolver {
  /** Each lookup resolves with `no-answer` when the signal aborts. It never rejects. */
  mx(name: string, signal: Signal): Promise<Lookup<MxRecord>>;
  a(name: string, signal: Signal): Promise<Lookup<string>>;
  aaaa(name: string, signal: Signal): Promise<Lookup<string>>;
  txt(name: string, signal: Signal): Promise<Lookup<string>>;
  /** The names of an IP address. */
  ptr(ip: string, signal: Signal): Promise<Lookup<string>>;
  close(): void;
}
