/** All pages below `/dashboard/`. */
import { accountPages } from './account/account-page.ts';
import { appPages } from './apps/app-actions.ts';
import { appListPage } from './apps/app-list.ts';
import { newAppPages } from './apps/new-app.ts';
import { auditPages } from './audit/audit-page.ts';
import { batchesPages } from './batches/batches-page.ts';
import { keyPages } from './keys/key-actions.ts';
import { keyListPage } from './keys/key-list.ts';
import { newKeyPages } from './keys/new-key.ts';
import { listsPages } from './lists/lists-pages.ts';
import { membersPages } from './members/members-page.ts';
import { overviewPages } from './overview/overview-page.ts';
import { securityPages } from './security/security-page.ts';
import { settingsPages } from './settings/settings-page.ts';
import { usagePages } from './usage/usage-page.ts';
import { verifyPages } from './verify/verify-page.ts';
import { addMissingPage, type DashboardDeps, type DashboardScope } from './visit.ts';

const PAGES = [
  ...[overviewPages, verifyPages, listsPages, batchesPages],
  ...[keyListPage, newKeyPages, keyPages],
  ...[appListPage, newAppPages, appPages],
  ...[usagePages, auditPages, membersPages, accountPages, settingsPages, securityPages],
];

/** Adds the pages to a scope of pages. */
export function addDashboard(scope: DashboardScope, deps: DashboardDeps): void {
  scope.app.get('/dashboard', async (_request, reply) => reply.redirect(scope.site.link('/dashboard/'), 308));
  for (const add of PAGES) add(scope, deps);
  addMissingPage(scope);
}
