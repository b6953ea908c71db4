/** Shows the stored data about an address, with the actions on it. */
import type { FoundListRow, FoundRow, StoredAddress } from '../../batch/stored-address/find-address.ts';
import type { SearchedBatch, SearchedList } from '../../batch/stored-address/stored-address-store.ts';
import { counted } from '../../core/format.ts';
import type { KeptWorkbook } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, name } from '../../pages/page-layout.ts';
import type { FoundPeople } from '../../people/members/find-in-account.ts';
import { asRole } from '../../people/members/role-words.ts';
import { dataTable, numbers } from '../data-table.ts';
import { MEMBERS } from '../members/members-shared.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';

/** The export has the rest. */
const MOST_SHOWN = 100;

export interface FoundActions {
  readonly exportTo: string;
  readonly eraseAt: string;
  readonly token: readonly Html[];
}

/** What is stored about an address, also as that of a person. */
export type FoundData = StoredAddress & FoundPeople;

export function foundSection(visit: Visit, address: string, found: FoundData, actions: FoundActions): Html {
  const { person, may } = visit;
  const isPerson = found.member !== undefined || found.invitation !== undefined;
  const isEmpty = !isPerson && countOf(found) + found.verifications + found.keys + found.urls.length === 0;
  const isOwn = address.toLowerCase() === person.email.toLowerCase();
  return html`<section class="found" aria-labelledby="found">
<h2 id="found">${isEmpty ? 'No data about' : 'Data about'} ${name(address)}</h2>
${isOwn && html`<p class="warning">This is the address that you sign in with. It stays when you erase the data below.</p>`}
${isEmpty ? html`<p>Your account has no data about this address.</p>` : tables(visit, found)}
<p class="note">Live public keys count the addresses of a day as digests, which cannot be turned back into addresses. Digests are deleted after two days.</p>
${!isEmpty && buttons(address, found, actions, may('manageBatches'))}
</section>`;
}

type Link = Visit['site']['link'];

/** How much can be erased, now or once its batch is completed. */
const countOf = ({ rows, listRows, workbooks, responses, names }: StoredAddress): number =>
  rows.length + listRows.length + workbooks.length + responses.length + names.length;

function tables(visit: Visit, found: FoundData): Html {
  const { link } = visit.site;
  const { rows, listRows, workbooks, responses, names, verifications } = found;
  const others = [
    ...workbooks.map(
      (workbook) =>
        html`<li>The file of the workbook ${workbookOf(link, workbook)}, which is kept for its other sheets. It has the address in one of its sheets.</li>`,
    ),
    names.length > 0 &&
      html`<li>${counted(names.length, 'name', 'names')} of lists, batches or columns, also in the audit log.</li>`,
    responses.length > 0 &&
      html`<li>${counted(responses.length, 'response')} to requests with an <code>Idempotency-Key</code>. They are kept for a day.</li>`,
    verifications > 0 &&
      html`<li>${counted(verifications, 'live verification')} at the moment, encrypted with a key that follows from the address. It is deleted within an hour.</li>`,
  ].filter((other) => other !== false);
  return html`${rows.length > 0 && resultTable(link, rows)}
${listRows.length > 0 && listTable(link, listRows)}
${others.length > 0 && html`<ul>${others}</ul>`}
${whatStays(visit, found)}`;
}

/** The data that cannot be erased, and what to do about it. */
function whatStays(visit: Visit, { keys, urls, ...people }: FoundData): Html | false {
  const { link } = visit.site;
  const ofPeople = peopleStay(visit, people);
  if (keys + urls.length + ofPeople.length === 0) return false;
  const batchOf = (batch: { id: string; name: string | null }) =>
    html`<a href="${link(`/dashboard/batches/${batch.id}`)}"><bdi>${nameOf(batch)}</bdi></a>`;
  return html`<div class="warning"><p>This stays when you erase the address:</p>
<ul>${ofPeople}${urls.map((batch) => html`<li>The callback URL of ${batchOf(batch)}, because callbacks are sent there. To remove it, delete the batch.</li>`)}
${keys > 0 && html`<li>${counted(keys, 'key')} that came as an <code>Idempotency-Key</code>. It is deleted a day after its request. Until then, it keeps the request from being charged twice.</li>`}</ul></div>`;
}

function peopleStay({ site, may }: Visit, { member, invitation }: FoundPeople): Html[] {
  const where = may('manageMembers')
    ? html`in <a href="${site.link(MEMBERS)}">Members</a>`
    : 'in Members, which owners and admins see';
  return [
    member &&
      html`<li>The membership: a person with this address is ${asRole(member.role)} of this account. It can be ended ${where}. Only the operator can delete the person, and the audit log keeps the address.</li>`,
    invitation &&
      html`<li>An invitation as ${asRole(invitation.role)}, which ends ${moment(invitation.expires_at)}. It can be withdrawn ${where}. The audit log keeps the address.</li>`,
  ].filter((one) => one !== undefined);
}

function resultTable(link: Link, rows: readonly FoundRow[]): Html {
  return dataTable({
    label: 'Batches',
    caption: `${counted(rows.length, 'result')} of your batches.${rest(rows.length)}`,
    columns: ['Batch', 'Created', 'Result', ...numbers('Entries')],
    rows: rows
      .slice(0, MOST_SHOWN)
      .map(({ batch, as, reason, result, duplicates }) => [
        html`<a href="${link(`/dashboard/batches/${batch.id}`)}"><bdi>${nameOf(batch)}</bdi></a>`,
        moment(batch.created_at),
        html`${
          result
            ? html`<span class="state ${result.state}">${result.state}</span>, <code>${reason ?? ''}</code>`
            : batch.completed_at
              ? 'not verified'
              : 'not verified yet'
        }${as === 'suggestion' && html`<br><span class="note">This is the suggestion for another address.</span>`}`,
        duplicates + 1,
      ]),
  });
}

function listTable(link: Link, rows: readonly FoundListRow[]): Html {
  return dataTable({
    label: 'Rows of your lists',
    caption: `${counted(rows.length, 'row')} of your lists.${rest(rows.length)}`,
    columns: ['List', ...numbers('Row'), 'Cells'],
    rows: rows
      .slice(0, MOST_SHOWN)
      .map(({ list, row, cells }) => [listOf(link, list), row, html`<bdi>${cells.join(' · ')}</bdi>`]),
  });
}

/** Several lists may come from the same file. */
const listOf = (link: Link, list: SearchedList): Html =>
  html`${workbookOf(link, list)}${list.batch_id === null && html`<br><span class="note">Not started yet. It is deleted if you do not start it.</span>`}`;

const workbookOf = (link: Link, { name, batch_id }: Pick<KeptWorkbook, 'name' | 'batch_id'>): Html =>
  batch_id === null
    ? html`<bdi>${name}</bdi>`
    : html`<a href="${link(`/dashboard/batches/${batch_id}`)}"><bdi>${name}</bdi></a>`;

const rest = (count: number): string =>
  count > MOST_SHOWN ? ` The first ${MOST_SHOWN} are shown, and all are in the export.` : '';

const nameOf = ({ id, name: given }: Pick<SearchedBatch, 'id' | 'name'>): string => given ?? `Batch ${id}`;

function buttons(
  address: string,
  { rows, listRows, workbooks, responses, names }: StoredAddress,
  { exportTo, eraseAt, token }: FoundActions,
  mayErase: boolean,
): Html {
  const what = hidden([['address', address]]);
  const open = new Map(rows.filter(({ batch }) => !batch.completed_at).map(({ batch }) => [batch.id, batch]));
  const canErase =
    mayErase &&
    (rows.some(({ batch }) => batch.completed_at) ||
      listRows.some(({ list }) => !list.is_open) ||
      workbooks.length + responses.length + names.length > 0);
  return html`${
    mayErase &&
    open.size > 0 &&
    html`<div class="warning"><p>The address cannot be erased from running batches. Wait until they are completed, or delete them:</p>
<ul>${[...open.values()].map((batch) => html`<li>${name(nameOf(batch))}</li>`)}</ul></div>`
  }
<form method="post" action="${exportTo}">${token}${what}<button>Export as JSON</button></form>
${
  canErase &&
  html`<details class="danger"><summary>Erase the address…</summary>
<p>This erases the address and its results, and the rows of your lists and the stored responses that contain it. In names of lists, batches and columns, “erased” replaces the address. ${workbooks.length > 0 && 'The files of workbooks with the address are deleted, so that the downloads of their batches have one sheet. '}This cannot be undone. If you need a copy, export the data first.</p>
<p>The counts of your batches, the callback URLs, and the names of keys and apps stay. Data that your server has already received stays there. Downloads leave out the address.</p>
<form method="post" action="${eraseAt}">${token}${what}<button class="danger">Erase the address</button></form></details>`
}`;
}
