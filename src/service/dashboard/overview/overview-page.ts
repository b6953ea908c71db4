/** `/dashboard/`: the overview. */
import { queryParameters } from '../../http/parameters.ts';
import { html } from '../../pages/html.ts';
import { done } from '../done.ts';
import { addPage, type DashboardDeps, type DashboardScope } from '../visit.ts';
import { firstSteps } from './first-steps.ts';
import { listsSection } from './lists-section.ts';
import { chartsPart, viewOf } from './overview-charts.ts';
import { readFacts } from './overview-facts.ts';
import { nowPart } from './overview-now.ts';

export function overviewPages(scope: DashboardScope, deps: DashboardDeps): void {
  addPage(scope, '/dashboard/', { right: 'see' }, async (visit) => {
    const { request, accountId, ownerEmail, site, may, send, notFound } = visit;
    const facts = await readFacts(deps, accountId);
    if (!facts) return notFound('account');
    const query = queryParameters(request);
    const view = viewOf((name) => query.get(name)?.[0]?.toString(), facts);
    return send({
      title: 'Overview',
      main: html`<div class="split"><h1>Overview</h1>${
        may('verify') &&
        html`<div class="row">
<a class="button" href="${site.link('/dashboard/verify')}">Verify an address</a>
<a class="button" href="${site.link('/dashboard/batches/new')}">New batch</a></div>`
      }</div>
${done(visit, { switched: html`This browser now shows the account <bdi>${ownerEmail}</bdi>.` })}
${may('verify') && firstSteps(facts, site)}
${nowPart(facts, site)}
${chartsPart(facts, view, site)}
${listsSection(facts.lists, new Date())}`,
    });
  });
}
