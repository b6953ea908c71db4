/** `/dashboard/audit`: what was done to keys, apps, batches and settings, and by whom. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function auditPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/audit', async ({ send }) =>
    send({ title: 'Audit log', main: html`<h1>Audit log</h1>` }),
  );
}
