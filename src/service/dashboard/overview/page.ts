/** `/dashboard/`: what its owner sees first. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function overviewPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/', async ({ send }) =>
    send({ title: 'Overview', main: html`<h1>Overview</h1>` }),
  );
}
