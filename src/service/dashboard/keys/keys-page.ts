/** `/dashboard/keys`: API keys of the account. */
import type { DashboardDeps, DashboardScope } from '../visit.ts';
import { keyPages } from './key-actions.ts';
import { listPage } from './key-list.ts';
import { newKeyPages } from './new-key.ts';

export function keysPages(scope: DashboardScope, deps: DashboardDeps): void {
  listPage(scope, deps);
  newKeyPages(scope, deps);
  keyPages(scope, deps);
}
