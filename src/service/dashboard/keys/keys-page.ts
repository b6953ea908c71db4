/** `/dashboard/keys`: API keys of the account. */
import type { DashboardParts } from '../dashboard-parts.ts';
import type { DashboardScope } from '../visit.ts';
import { keyPages } from './key-actions.ts';
import { listPage } from './key-list.ts';
import { newKeyPages } from './new-key.ts';

export function keysPages(scope: DashboardScope, parts: DashboardParts): void {
  listPage(scope, parts);
  newKeyPages(scope, parts);
  keyPages(scope, parts);
}
