/** `/dashboard/batches/new`: uploads a list, looks it through, and begins its batch. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function listsPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/batches/new', async ({ send }) =>
    send({ title: 'New batch', main: html`<h1>New batch</h1>` }),
  );
}
