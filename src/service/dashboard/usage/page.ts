/** `/dashboard/usage`: every change of credits, and why. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function usagePages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/usage', async ({ send }) =>
    send({ title: 'Usage', main: html`<h1>Usage</h1>` }),
  );
}
