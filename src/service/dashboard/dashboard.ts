/** All pages below `/dashboard/`. */
import { accountPages } from './account/account-page.ts';
import { appsPages } from './apps/apps-page.ts';
import { auditPages } from './audit/audit-page.ts';
import { batchesPages } from './batches/batches-page.ts';
import { keysPages } from './keys/keys-page.ts';
import { listsPages } from './lists/lists-pages.ts';
import { membersPages } from './members/members-page.ts';
import { overviewPages } from './overview/overview-page.ts';
import { securityPages } from './security/security-page.ts';
import { settingsPages } from './settings/settings-page.ts';
import { usagePages } from './usage/usage-page.ts';
import { verifyPages } from './verify/verify-page.ts';
import type { DashboardDeps } from './visit.ts';
import { addMissingPage, type DashboardScope } from './visit.ts';

const PAGES = [
  overviewPages,
  verifyPages,
  listsPages,
  batchesPages,
  keysPages,
  appsPages,
  usagePages,
  auditPages,
  membersPages,
  accountPages,
  settingsPages,
  securityPages,
];

/** Adds the pages to a scope of pages. */
export function addDashboard(scope: DashboardScope, deps: DashboardDeps): void {
  scope.app.get('/dashboard', async (_request, reply) => reply.redirect(scope.site.link('/dashboard/'), 308));
  for (const add of PAGES) add(scope, deps);
  addMissingPage(scope);
}
