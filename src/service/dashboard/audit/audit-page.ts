/** `/dashboard/audit`: who changed keys, apps, batches and settings, and when. */
import { type AuditEntry, type AuditKind, readAudit } from '../../audit/audit-store.ts';
import { capital } from '../../core/format.ts';
import { queryParameters } from '../../http/parameters.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { createCsvSender } from '../csv-file.ts';
import { dataTable } from '../data-table.ts';
import { done } from '../done.ts';
import { optionsOf } from '../form-fields.ts';
import { addGuardedDownload, CONFIRMED } from '../guarded-form.ts';
import { moment } from '../moment.ts';
import { titleOf } from '../titles.ts';
import { addPage, type DashboardDeps, type DashboardScope } from '../visit.ts';
import { auditFile } from './audit-export.ts';
import { sayActor, sayAuditEvent } from './audit-sentences.ts';

const PATH = '/dashboard/audit';
const ROWS_OF_PAGE = 50;

/** The types of entries to choose from, with their titles. */
const FILTERS = {
  keys: 'Keys',
  apps: 'Apps',
  batches: 'Batches and callbacks',
  members: 'Members',
  settings: 'Settings and the account',
} as const;

type Filter = keyof typeof FILTERS;

/** The type of each kind of action. */
const FILTER_OF: Readonly<Record<AuditKind, Filter>> = {
  key: 'keys',
  app: 'apps',
  batch: 'batches',
  callback: 'batches',
  member: 'members',
  settings: 'settings',
  account: 'settings',
  person: 'settings',
  address: 'settings',
};

const kindsOf = (filter: Filter | undefined) =>
  filter && Object.entries(FILTER_OF).flatMap(([kind, its]) => (its === filter ? [kind] : []));

export function auditPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, log } = deps;
  const sendCsv = createCsvSender({ log, downloadMs: scope.downloadMs });

  addPage(scope, PATH, { right: 'see' }, async (visit) => {
    const { request, accountId, site, send } = visit;
    const query = queryParameters(request);
    const text = (name: string) => query.get(name)?.[0]?.toString() ?? '';
    const filter = filterIn(text('what'));
    const before = /^[1-9]\d{0,15}$/.test(text('before')) ? Number(text('before')) : undefined;
    const kinds = kindsOf(filter);
    const found = await readAudit(db, accountId, { limit: ROWS_OF_PAGE + 1, before, kinds });
    const entries = found.slice(0, ROWS_OF_PAGE);
    const link = (more: string) =>
      site.link(`${PATH}${more}?${new URLSearchParams(filter && { what: filter })}`);
    const earlier = found.length > entries.length && `${link('')}&before=${entries.at(-1)!.id}`;
    return send({
      title: titleOf('Audit log', [filter && FILTERS[filter], before !== undefined && 'earlier entries']),
      main: html`<div class="split"><h1>Audit log</h1>
<a class="button" href="${link('.csv')}">Download as CSV</a></div>
${done(visit, CONFIRMED)}
<p>Who changed keys, apps, batches, members and settings, and when. Entries cannot be changed.</p>
${filterForm(filter, site)}
${entries.length > 0 ? table(entries) : sayNone(filter, before, link(''))}
${
  (before !== undefined || earlier) &&
  html`<nav class="split" aria-label="Pages of the audit log">
${before === undefined ? html`<span></span>` : html`<a href="${link('')}">Newest</a>`}
${earlier && html`<a href="${earlier}">Earlier</a>`}</nav>`
}`,
    });
  });

  addGuardedDownload(scope, deps, {
    ...{ path: `${PATH}.csv`, right: 'see', purpose: 'download the audit log', back: PATH },
    send(visit) {
      const filter = filterIn(queryParameters(visit.request).get('what')?.[0]?.toString());
      return sendCsv(visit, auditFile(db, visit.accountId, kindsOf(filter)));
    },
  });
}

const filterIn = (text = ''): Filter | undefined =>
  Object.hasOwn(FILTERS, text) ? (text as Filter) : undefined;

function filterForm(chosen: Filter | undefined, site: Site): Html {
  return html`<form class="filter" action="${site.link(PATH)}">
<div class="field"><label for="what">Type</label><select id="what" name="what">
<option value="">Everything</option>
${optionsOf(Object.entries(FILTERS), chosen)}</select></div>
<button>Apply</button>
</form>`;
}

function table(entries: readonly AuditEntry[]): Html {
  return dataTable({
    ...{ label: 'Audit log', caption: 'Latest first', isNamed: false },
    columns: [
      { title: 'Time', css: 'time' },
      { title: 'Who', css: 'who' },
      { title: 'What', css: 'why' },
    ],
    rows: entries.map((entry) => {
      const { parts, more } = sayAuditEvent(entry);
      const details = more.map((line) => html`<li><bdi>${line}</bdi></li>`);
      return [
        moment(entry.at),
        html`<bdi>${sayActor(entry)}</bdi>`,
        html`${parts.map(show)}.
${more.length > 0 && html`<ul class="note">${details}</ul>`}`,
      ];
    }),
  });
}

/** A part of a sentence, which begins with a capital. */
function show(part: string | Date, index: number): Html | string {
  if (typeof part !== 'string') return moment(part);
  return index === 0 ? capital(part) : part;
}

function sayNone(filter: Filter | undefined, before: number | undefined, newest: string): Html {
  if (before !== undefined)
    return html`<p class="empty">There are no earlier entries. <a href="${newest}">Show the newest</a></p>`;
  if (filter)
    return html`<p class="empty">There are no entries of this type yet. To see the others, choose "Everything".</p>`;
  return html`<p class="empty">There are no entries yet. When you create a key, an app or a batch, it is listed here.</p>`;
}
