/** `/dashboard/batches`: batches, their progress and their results. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function batchesPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/batches', async ({ send }) =>
    send({ title: 'Batches', main: html`<h1>Batches</h1>` }),
  );
}
