/** `/dashboard/keys`: API keys of the account. */
import type { DashboardParts } from '../parts.ts';
import type { DashboardScope } from '../visit.ts';
import { keyPages } from './actions.ts';
import { listPage } from './list.ts';
import { newKeyPages } from './new.ts';

export function keysPages(scope: DashboardScope, parts: DashboardParts): void {
  listPage(scope, parts);
  newKeyPages(scope, parts);
  keyPages(scope, parts);
}
