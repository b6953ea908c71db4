/** `/dashboard/keys`: API keys of the account. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function keysPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/keys', async ({ send }) => send({ title: 'Keys', main: html`<h1>Keys</h1>` }));
}
