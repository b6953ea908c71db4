/** `/dashboard/verify`: one address, and why its result is what it is. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function verifyPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/verify', async ({ send }) =>
    send({ title: 'Verify an address', main: html`<h1>Verify an address</h1>` }),
  );
}
