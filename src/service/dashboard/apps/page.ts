/** `/dashboard/apps`: the apps of the account, and the apps that may use it. */
import type { DashboardParts } from '../parts.ts';
import type { DashboardScope } from '../visit.ts';
import { appPages } from './actions.ts';
import { listPage } from './list.ts';
import { newAppPages } from './new.ts';

export function appsPages(scope: DashboardScope, parts: DashboardParts): void {
  listPage(scope, parts);
  newAppPages(scope, parts);
  appPages(scope, parts);
}
