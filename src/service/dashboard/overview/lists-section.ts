/** The lists that decide attributes of addresses, with their sizes and ages. */
import type { ListName, ListReport } from '../../../engine/facts/facts.ts';
import { figure, lasting } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { dataTable, numbers } from '../data-table.ts';

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
${dataTable({
  label: 'Lists',
  columns: ['List', ...numbers('Release'), 'Published', ...numbers('Operator'), 'Changed'],
  rows: used.map(({ name, packaged, packagedAt, own }) => [
    TITLES[name],
    figure(packaged),
    packagedAt ? `${lasting(packagedAt, now)} ago` : '–',
    figure(own?.entries ?? 0),
    own ? `${lasting(own.changedAt, now)} ago` : '–',
  ]),
})}</details>`
  );
}
