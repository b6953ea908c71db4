/** `/dashboard/apps`: the apps of the account, and the apps that may use it. */
import type { DashboardParts } from '../dashboard-parts.ts';
import type { DashboardScope } from '../visit.ts';
import { appPages } from './app-actions.ts';
import { listPage } from './app-list.ts';
import { newAppPages } from './new-app.ts';

export function appsPages(scope: DashboardScope, parts: DashboardParts): void {
  listPage(scope, parts);
  newAppPages(scope, parts);
  appPages(scope, parts);
}
