/** `/dashboard/settings`: the password, sessions, the callback secret, retention, and what is stored about an address. */
import { html } from '../../pages/html.ts';
import type { DashboardParts } from '../parts.ts';
import { addPage, type DashboardScope } from '../visit.ts';

export function settingsPages(scope: DashboardScope, _parts: DashboardParts): void {
  addPage(scope, '/dashboard/settings', async ({ send }) =>
    send({ title: 'Settings', main: html`<h1>Settings</h1>` }),
  );
}
