/** The judge of the tests that disturb the service: `admin audit-books` finds nothing. */
import { expect } from 'vitest';
import { auditBooks, sayDifference } from '../../../src/service/books/audit-books.ts';
import type { Db } from '../../../src/service/database/schema.ts';

/** Compares the balances, the ledger, the counts, the refunds and the callbacks of all accounts. */
export async function expectExactBooks(db: Db): Promise<void> {
  expect((await auditBooks(db)).map(sayDifference)).toEqual([]);
}
