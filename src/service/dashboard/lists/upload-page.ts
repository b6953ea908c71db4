/** The page that uploads a file or takes pasted addresses for a new batch. */
import type { FastifyReply } from 'fastify';
import { counted, figure, lasting } from '../../core/format.ts';
import { type List, MOST_DRAFT_BYTES, MOST_DRAFTS } from '../../lists/list-store.ts';
import { MAX_FILE_BYTES, MAX_ROWS } from '../../lists/reading/list-limits.ts';
import { type Html, html } from '../../pages/html.ts';
import { outcome, problem } from '../../pages/page-layout.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { MAKE_ROOM } from './receive-upload.ts';

export interface UploadPage {
  /** Those that the person may start or discard. */
  readonly drafts: readonly List[];
  /** How many others wait in the account. */
  readonly ofOthers: number;
  /** The most addresses that a batch of the account may have. */
  readonly batchSize: number;
  readonly fault?: string;
  /** The previously pasted text, to be shown again. Absent if a file was chosen. */
  readonly pasted?: string | undefined;
  readonly isDiscarded?: boolean;
  /** How long a list waits for its start, in words. */
  readonly keptFor: string;
  /** Why no further list may wait for its start. */
  readonly full: string | undefined;
}

/** How long lists wait for their start, in words. */
export const keptFor = (seconds: number): string => lasting(new Date(0), new Date(1000 * seconds));

export function sendUploadPage(visit: Visit, page: UploadPage): Promise<FastifyReply> {
  const { request, site, send } = visit;
  const { drafts, batchSize, fault, pasted, isDiscarded, full } = page;
  const action = site.link('/dashboard/lists');
  const isOfPasted = fault !== undefined && pasted !== undefined;
  const isOfFile = fault !== undefined && pasted === undefined;
  const wrong = html` aria-invalid="true" autofocus`;
  // What was pasted stays, so that it is not lost.
  const isFull = full !== undefined && pasted === undefined;
  const forms = html`<form class="box drop" id="upload" method="post" action="${action}" enctype="multipart/form-data" data-most-bytes="${MAX_FILE_BYTES}">
${formToken(request)}
<h2>Upload a file</h2>
<p class="field"><label for="file">File</label>
<input id="file" name="file" type="file" accept=".csv,.tsv,.tab,.txt,.xlsx,.xls,.ods" required aria-describedby="file-hint${isOfFile && ' problem'}"${isOfFile && wrong}></p>
<p class="note" id="file-hint">CSV, TSV, TXT, XLSX, XLS or ODS, up to ${MAX_FILE_BYTES / 1024 / 1024} MiB and ${figure(MAX_ROWS)} rows. Your batches can have up to ${counted(batchSize, 'address', 'addresses')}. All columns are kept for the download.</p>
<p class="row"><button class="primary">Upload</button></p>
</form>
<form class="box" method="post" action="${action}" enctype="multipart/form-data">
${formToken(request)}
<h2>Paste addresses</h2>
<p class="field"><label for="pasted">Addresses</label>
<textarea id="pasted" name="pasted" required spellcheck="false" autocapitalize="none" aria-describedby="pasted-hint${isOfPasted && ' problem'}"${isOfPasted && wrong}>
${pasted}</textarea></p>
<p class="note" id="pasted-hint">One on each line, or with commas between them. You can also paste rows of a spreadsheet.</p>
<p class="row"><button>Use these addresses</button></p>
</form>`;
  const main = html`<h1>New batch</h1>
<p>Upload a list, or paste addresses. You see what is in it and what it costs before anything starts.</p>
${isDiscarded && outcome('The list was discarded.')}
${problem(fault)}
${isFull ? fault === undefined && html`<p class="warning">${full} ${MAKE_ROOM}</p>` : roomWords(page)}
${!isFull && forms}
${drafts.length > 0 && waiting(visit, drafts)}`;
  return send({ title: fault === undefined ? 'New batch' : 'List not read', main });
}

/** The bound on lists that wait, before one is uploaded in vain. */
function roomWords({ drafts, ofOthers, keptFor: waits }: UploadPage): Html {
  const count = drafts.length + ofOthers;
  return html`<p class="note" id="room">A list waits ${waits} for its start, and ${MOST_DRAFTS} lists with ${MOST_DRAFT_BYTES / 2 ** 20} MiB together can wait at a time. ${count > 0 && `${count} of them ${count === 1 ? 'waits' : 'wait'} at the moment.`}</p>`;
}

const waiting = ({ site }: Visit, drafts: readonly List[]) => html`<section class="box">
<h2>Lists that are not started yet</h2>
<ul class="plain">${drafts.map(
  ({ id, name, row_count, ends_at }) =>
    html`<li><a href="${site.link(`/dashboard/lists/${id}`)}"><bdi>${name}</bdi></a> <span class="note">${counted(row_count, 'row')}, kept until ${moment(ends_at)}</span></li>`,
)}</ul>
</section>`;
