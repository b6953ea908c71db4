/** `/dashboard/batches`: batches, their progress and their results. */
import { isId } from '../../core/random-id.ts';
import { addPage, type DashboardDeps, type DashboardScope } from '../visit.ts';
import { batchActions } from './batch-actions.ts';
import { sendDetails } from './batch-details.ts';
import { sendList } from './batch-list.ts';
import { BATCHES } from './batch-paths.ts';
import { batchDownload } from './result-download.ts';

export function batchesPages(scope: DashboardScope, deps: DashboardDeps): void {
  addPage(scope, BATCHES, { right: 'see' }, (visit) => sendList(visit, deps));
  addPage(scope, `${BATCHES}/:id`, { right: 'see' }, async (visit) => {
    const { id } = visit.request.params as { id: string };
    return isId(id) ? sendDetails(visit, deps, id) : visit.notFound('batch');
  });
  batchDownload(scope, deps);
  batchActions(scope, deps);
}
