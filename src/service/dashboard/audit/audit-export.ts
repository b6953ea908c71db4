/** The audit log as a file. */
import { readAudit } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { type CsvFile, inPages } from '../csv-file.ts';
import { sayActor, sayAuditEvent, withoutIsolates } from './audit-sentences.ts';

/** The latest entries come first, as on the page. */
export const auditFile = (db: Db, accountId: string, kinds?: readonly string[]): CsvFile => ({
  name: 'audit-log',
  columns: ['time', 'who', 'what', 'action', 'subject', 'details'],
  pages: pagesOf(db, accountId, kinds),
});

async function* pagesOf(db: Db, accountId: string, kinds: readonly string[] | undefined) {
  for await (const entries of inPages((page) => readAudit(db, accountId, { ...page, kinds })))
    yield entries.map((entry) => [
      entry.at.toISOString(),
      sayActor(entry),
      withoutIsolates(sayAuditEvent(entry).text),
      entry.action,
      entry.subject_id,
      JSON.stringify(entry.details),
    ]);
}
