/** `/dashboard/batches/:id/download`: the results as a file, all of them or those that match a filter. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import { sendFile } from '../../batch/download/send-while-made.ts';
import { COLUMN_CHOICES, type ColumnChoice } from '../../batch/export/export-columns.ts';
import { FORMATS, type Format, openExport } from '../../batch/export/export-results.ts';
import { type Exportable, findExportable } from '../../batch/export/export-store.ts';
import { isEmpty, readFilter } from '../../batch/results/result-filter.ts';
import { Failure } from '../../core/failures.ts';
import { isId } from '../../core/random-id.ts';
import { createSlots } from '../../core/slots.ts';
import type { Deps } from '../../deps/deps.ts';
import { actorOf, addPage, type DashboardScope } from '../visit.ts';
import { BATCHES } from './batch-paths.ts';
import { REASON_TITLES } from './batch-words.ts';
import { NEXT, readNext } from './next-downloads.ts';
import { valuesOf } from './query-values.ts';

/** A stalled download holds about 2 MB. */
const MOST_AT_ONCE = 20;
const MOST_OF_ACCOUNT = 3;
const RETRY_AFTER_S = '5';

export function batchDownload(scope: DashboardScope, { db, log }: Pick<Deps, 'db' | 'log'>): void {
  const slots = createSlots({ atOnce: MOST_AT_ONCE, ofOne: MOST_OF_ACCOUNT });
  const { downloadMs } = scope;
  addPage(scope, `${BATCHES}/:id/download`, { right: 'download', exposeHeadRoute: false }, async (visit) => {
    const { request, reply, accountId, notFound } = visit;
    const { id } = request.params as { id: string };
    const batch = isId(id) ? await findExportable(db, accountId, id) : undefined;
    if (!batch) return notFound('results');
    const release = slots.take(accountId);
    if (!release) throw new Failure('downloadsBusy', undefined, { 'Retry-After': RETRY_AFTER_S });
    const values = valuesOf(request);
    const next = readNext(values('for')[0]);
    const { filter, rows } = next ? NEXT[next] : { filter: readFilter(values), rows: 'all' as const };
    const columns = columnsOf(values('columns')[0]);
    const isPart = next !== undefined || !isEmpty(filter);
    try {
      await recordAuditEvent(db, {
        ...{ accountId, actor: actorOf(visit), action: 'batch.download' },
        ...{ subject: { id, name: batch.name }, details: { filtered: isPart } },
      });
    } catch (error) {
      release();
      throw error;
    }
    const format = (Object.keys(FORMATS) as Format[]).find((kind) => kind === values('format')[0]);
    const { stream, contentType, extension } = openExport(db, batch, {
      ...{ filter, columns, rows, format },
      reasonWords: next || values('reasons')[0] === 'words' ? REASON_TITLES : undefined,
    });
    const part = next ?? (isPart ? 'filtered' : 'results');
    const disposition = dispositionOf(batch, part, extension);
    const headers = { 'Content-Type': contentType, 'Content-Disposition': disposition };
    return sendFile(request, reply, stream, { headers, longestMs: downloadMs, release, log });
  });
}

const columnsOf = (text: string | undefined): ColumnChoice =>
  (Object.keys(COLUMN_CHOICES) as ColumnChoice[]).find((choice) => choice === text) ?? 'all';

/** RFC 6266: an ASCII name for old programs, and the batch's own name, encoded by RFC 8187. */
/** @param part which results it has */
function dispositionOf({ id, name }: Exportable, part: string, extension: string): string {
  const end = `-${part}.${extension}`;
  const plain = `attachment; filename="batch-${id}${end}"`;
  const own = name
    ?.replace(/\.(csv|tsv|tab|txt|xlsx|xls|ods)$/i, '')
    .replace(/[\p{Cc}\p{Cs}\\/:*?"<>|]/gu, '_');
  return own ? `${plain}; filename*=UTF-8''${encodeName(`${own}${end}`)}` : plain;
}

const encodeName = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
