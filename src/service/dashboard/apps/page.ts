/** `/dashboard/apps`: the apps of the account, and the apps that may use it. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function appsPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/apps', async ({ send }) => send({ title: 'Apps', main: html`<h1>Apps</h1>` }));
}
