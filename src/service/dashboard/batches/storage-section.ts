/** What the batches of the account store, below their list. */
import type { Storage } from '../../batch/storage/storage-limits.ts';
import { figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';

/** Both modes, because each has its own limits. */
export function storagePart(storages: readonly Storage[]): Html {
  return html`<section class="box" aria-labelledby="storage"><h2 id="storage">Storage</h2>
<p class="note">Each entry counts until its results are deleted. At a limit, new batches are refused.</p>
<dl>${storages.map(
    ({ mode, stored, limits }) => html`<dt>${mode === 'live' ? 'Live batches' : 'Test batches'}</dt>
<dd>${figure(stored.entries)} of ${figure(limits.entries)} stored entries, ${figure(stored.openBatches)} of ${figure(limits.openBatches)} open batches</dd>`,
  )}</dl></section>`;
}
