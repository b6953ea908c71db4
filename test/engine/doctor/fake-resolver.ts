/** A resolver that answers from a table, for tests that are not about the DNS. */
import type { Lookup, MxRecord, Resolver } from '../../../src/engine/dns/resolver.ts';

/** What the table holds for a name. What it does not hold does not exist. */
export interface Names {
  readonly [name: string]: {
    readonly mx?: readonly MxRecord[];
    readonly a?: readonly string[];
    readonly aaaa?: readonly string[];
    readonly txt?: readonly string[];
    readonly ptr?: readonly string[];
    /** Every question about the name gets this instead. */
    readonly trouble?: Lookup<never>;
  };
}

export function fakeResolver(names: Names): Resolver {
  const look =
    <Type extends 'mx' | 'a' | 'aaaa' | 'txt' | 'ptr'>(type: Type) =>
    async (name: string): Promise<Lookup<never>> => {
      const entry = names[name];
      if (!entry) return { kind: 'no-name' };
      if (entry.trouble) return entry.trouble;
      const records = entry[type] as readonly never[] | undefined;
      return records ? { kind: 'found', records } : { kind: 'no-records' };
    };
  return { mx: look('mx'), a: look('a'), aaaa: look('aaaa'), txt: look('txt'), ptr: look('ptr'), close() {} };
}
