/** `/dashboard/apps`: the apps of the account, and the apps that may use it. */
import type { DashboardDeps, DashboardScope } from '../visit.ts';
import { appPages } from './app-actions.ts';
import { listPage } from './app-list.ts';
import { newAppPages } from './new-app.ts';

export function appsPages(scope: DashboardScope, deps: DashboardDeps): void {
  listPage(scope, deps);
  newAppPages(scope, deps);
  appPages(scope, deps);
}
