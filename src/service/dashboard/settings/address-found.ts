/** Shows what is stored about an address, and what can be done with it. */
import type { FoundListRow, FoundRow, StoredAddress } from '../../batch/stored-address/find.ts';
import type { SearchedBatch } from '../../batch/stored-address/store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden, name } from '../../pages/layout.ts';
import { counted } from '../../words.ts';
import type { Visit } from '../visit.ts';
import { moment } from './section.ts';

/** The rest is in the export. */
const MOST_SHOWN = 100;

export interface FoundActions {
  readonly exportTo: string;
  readonly eraseAt: string;
  readonly token: readonly Html[];
}

export function foundSection(
  { site, email }: Visit,
  address: string,
  found: StoredAddress,
  actions: FoundActions,
): Html {
  const { rows, listRows, responses, verifications } = found;
  const isEmpty = rows.length + listRows.length + responses.length + verifications === 0;
  const isOwn = address.toLowerCase() === email.toLowerCase();
  return html`<section class="found" aria-labelledby="found">
<h2 id="found">${isEmpty ? 'Nothing is stored about' : 'What is stored about'} ${name(address)}</h2>
${isOwn && html`<p class="warning">This is the address of your account itself. Only what is below can be erased here.</p>`}
${isEmpty ? html`<p>No batch, list or stored response of your account has this address.</p>` : tables(site.link, found)}
<p class="hint">Live public keys count the addresses of a day as digests, which nobody can read. They are deleted after two days.</p>
${!isEmpty && buttons(address, found, actions)}
</section>`;
}

function tables(link: (path: string) => string, found: StoredAddress): Html {
  const { rows, listRows, responses, verifications } = found;
  return html`${rows.length > 0 && resultTable(link, rows)}
${listRows.length > 0 && listTable(listRows)}
<ul>
<li>${counted(responses.length, 'response')} to requests with an <code>Idempotency-Key</code>. They are kept for a day.</li>
<li>${counted(verifications, 'live verification')} at the moment, encrypted with a key that follows from the address. It is deleted within minutes.</li>
</ul>`;
}

function resultTable(link: (path: string) => string, rows: readonly FoundRow[]): Html {
  const shown = rows
    .slice(0, MOST_SHOWN)
    .map(
      ({ batch, as, reason, result, duplicates }) =>
        html`<tr><th scope="row"><a href="${link(`/dashboard/batches/${batch.id}`)}"><bdi>${nameOf(batch)}</bdi></a></th><td>${moment(batch.created_at)}</td><td>${
          result
            ? html`<span class="state ${result.state}">${result.state}</span>, <code>${reason ?? ''}</code>`
            : 'not verified yet'
        }${as === 'suggestion' && html`<br><span class="hint">It is the suggestion for another address.</span>`}</td><td class="number">${duplicates + 1}</td></tr>`,
    );
  return html`<div class="scroll" role="region" aria-label="Batches" tabindex="0"><table>
<caption>${counted(rows.length, 'result')} of your batches.${rest(rows.length)}</caption>
<thead><tr><th scope="col">Batch</th><th scope="col">Created</th><th scope="col">Result</th><th scope="col" class="number">Entries</th></tr></thead>
<tbody>${shown}</tbody></table></div>`;
}

function listTable(rows: readonly FoundListRow[]): Html {
  const shown = rows
    .slice(0, MOST_SHOWN)
    .map(
      ({ list, number, cells }) =>
        html`<tr><th scope="row"><bdi>${list.name}</bdi></th><td class="number">${number + 1}</td><td><bdi>${cells.join(' · ')}</bdi></td></tr>`,
    );
  return html`<div class="scroll" role="region" aria-label="Rows of your lists" tabindex="0"><table>
<caption>${counted(rows.length, 'row')} of your lists.${rest(rows.length)}</caption>
<thead><tr><th scope="col">List</th><th scope="col" class="number">Row</th><th scope="col">Cells</th></tr></thead>
<tbody>${shown}</tbody></table></div>`;
}

const rest = (count: number): string =>
  count > MOST_SHOWN ? ` The first ${MOST_SHOWN} are shown, and all are in the export.` : '';

const nameOf = ({ id, name: given }: SearchedBatch): string => given ?? `Batch ${id}`;

function buttons(
  address: string,
  { rows, listRows, responses }: StoredAddress,
  { exportTo, eraseAt, token }: FoundActions,
): Html {
  const what = hidden([['address', address]]);
  const running = new Map(
    rows.filter(({ batch }) => !batch.completed_at).map(({ batch }) => [batch.id, batch]),
  );
  const canErase =
    rows.some(({ batch }) => batch.completed_at) ||
    listRows.some(({ list }) => !list.is_open) ||
    responses.length > 0;
  return html`${
    running.size > 0 &&
    html`<div class="warning"><p>The address cannot be erased from batches that run. Wait until they are completed, or delete them:</p>
<ul>${[...running.values()].map((batch) => html`<li>${name(nameOf(batch))}</li>`)}</ul></div>`
  }
<form method="post" action="${exportTo}">${token}${what}<button>Export as JSON</button></form>
${
  canErase &&
  html`<details class="danger"><summary>Erase the address…</summary>
<p>The address, its results, the rows of your lists that have it, and stored responses are erased, and cannot be brought back. The counts of your batches stay. Downloads leave the address out. Keep an export if you need one.</p>
<form method="post" action="${eraseAt}">${token}${what}<button class="danger">Erase the address</button></form></details>`
}`;
}
