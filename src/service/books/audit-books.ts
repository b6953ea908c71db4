/** Audits the books of all accounts: each difference is a fault of the program, or a change by somebody else. */
import type { Db, Difference } from '../database/schema.ts';
import { auditChunk } from './audit-chunk.ts';

/** Work goes on meanwhile: accounts are read a few at a time. An empty list means that the books are right. */
export async function auditBooks(db: Db): Promise<Difference[]> {
  const all: Difference[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { differences, last }: Awaited<ReturnType<typeof auditChunk>> = await auditChunk(db, after);
    all.push(...differences);
    after = last;
  }
  return all;
}

/** A difference in one line, for people. */
export function sayDifference({ kind, account, batch, payment, expected, got }: Difference): string {
  const where = [`account ${account}`, batch && `batch ${batch}`, payment && `payment ${payment}`];
  return `${kind}: ${where.filter(Boolean).join(', ')}: expected ${expected ?? 'none'}, got ${got ?? 'none'}`;
}
