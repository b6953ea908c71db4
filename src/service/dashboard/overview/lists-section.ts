/** The lists that decide attributes of addresses, with their sizes and ages. */
import type { ListName, ListReport } from '../../../engine/facts/facts.ts';
import { figure, lasting } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';

const TITLES: Readonly<Record<ListName, string>> = {
  disposable: 'Disposable domains',
  free: 'Free providers',
  role: 'Role names',
  allow: 'Domains that are never disposable',
  block: 'Blocked domains',
  'disposable-mx': 'Disposable mail servers',
  'block-mx': 'Blocked mail servers',
};

/** @returns nothing on a server that does not verify with live keys */
export function listsSection(lists: readonly ListReport[], now: Date): Html | false {
  const used = lists.filter(({ packaged, own }) => packaged > 0 || own);
  return (
    used.length > 0 &&
    html`<details class="box" id="lists"><summary>Lists of this server</summary>
<p class="note">They decide which addresses are disposable, free or roles. The operator's entries change those of the release.</p>
<div class="scroll" role="region" aria-label="Lists" tabindex="0"><table><thead><tr><th scope="col">List</th><th scope="col" class="number">Release</th><th scope="col" class="number">Operator</th><th scope="col">Changed</th></tr></thead>
<tbody>${used.map(
      ({ name, packaged, own }) => html`<tr><th scope="row">${TITLES[name]}</th>
<td class="number">${figure(packaged)}</td><td class="number">${figure(own?.entries ?? 0)}</td>
<td>${own ? `${lasting(own.changedAt, now)} ago` : 'with the release'}</td></tr>`,
    )}</tbody></table></div></details>`
  );
}
