/** The audit log as a file. */
import { readAudit } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { CsvFile } from '../csv-file.ts';
import { sayActor, sayAuditEvent, withoutIsolates } from './audit-sentences.ts';

const ROWS_AT_ONCE = 1_000;

/** The latest entries come first, as on the page. */
export const auditFile = (db: Db, accountId: string, kinds?: readonly string[]): CsvFile => ({
  name: 'audit-log',
  columns: ['time', 'who', 'what', 'action', 'subject', 'details'],
  pages: pagesOf(db, accountId, kinds),
});

async function* pagesOf(db: Db, accountId: string, kinds: readonly string[] | undefined) {
  for (let before: number | undefined; ; ) {
    const entries = await readAudit(db, accountId, { limit: ROWS_AT_ONCE, before, kinds });
    if (entries.length === 0) return;
    yield entries.map((entry) => [
      entry.at.toISOString(),
      sayActor(entry),
      withoutIsolates(sayAuditEvent(entry).text),
      entry.action,
      entry.subject_id,
      JSON.stringify(entry.details),
    ]);
    if (entries.length < ROWS_AT_ONCE) return;
    before = entries.at(-1)!.id;
  }
}
