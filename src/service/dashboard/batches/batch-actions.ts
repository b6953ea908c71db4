/** The actions on the page of a batch: pause, resume, rename, stop, delete, and send the callback again. */
import type { FastifyReply } from 'fastify';
import {
  deleteBatch,
  type Named,
  pauseBatch,
  renameBatch,
  resumeBatch,
  sendCallbackAgain,
  stopBatch,
} from '../../batch/manage/manage-batches.ts';
import { findMaker } from '../../batch/manage/manage-batches-store.ts';
import { isId } from '../../core/random-id.ts';
import type { Deps } from '../../deps/deps.ts';
import { cleanName } from '../../lists/list-name.ts';
import type { Fields } from '../form-fields.ts';
import { rightToChangeBatch } from '../own-objects.ts';
import { actorOf, addAction, type DashboardScope, type Visit } from '../visit.ts';
import type { DONE } from './batch-details.ts';
import { BATCHES, pathOf } from './batch-paths.ts';

type BatchActionsDeps = Pick<Deps, 'db' | 'settings' | 'onCredits' | 'wakeCallbacks'>;

export function batchActions(scope: DashboardScope, deps: BatchActionsDeps): void {
  const { db, settings, onCredits, wakeCallbacks } = deps;
  type Act = (visit: Visit, named: Named, fields: Fields) => Promise<FastifyReply>;
  const add = (name: string, act: Act) =>
    addAction(scope, `${BATCHES}/:id/${name}`, { right: 'verify', back: BATCHES }, async (visit, fields) => {
      const { id } = visit.request.params as { id: string };
      const made = isId(id) ? await findMaker(db, visit.accountId, id) : undefined;
      if (!made) return visit.notFound('batch');
      const missing = rightToChangeBatch(visit, made);
      if (missing) return visit.forbidden(missing);
      return act(visit, { id, accountId: visit.accountId, actor: actorOf(visit) }, fields);
    });

  add('pause', async (visit, named) => {
    const outcome = await pauseBatch(db, named);
    if (outcome === 'no such batch') return visit.notFound('batch');
    return back(visit, named, outcome === 'completed already' ? 'completed' : 'paused');
  });

  add('resume', async (visit, named) => {
    const outcome = await resumeBatch(db, named);
    if (outcome === 'no such batch') return visit.notFound('batch');
    return back(visit, named, outcome === 'completed already' ? 'completed' : 'resumed');
  });

  add('rename', async (visit, named, fields) => {
    const name = cleanName(fields.get('name') ?? '', '');
    if (name === '') return back(visit, named, 'unnamed');
    const outcome = await renameBatch(db, named, name);
    return outcome === 'renamed' ? back(visit, named, 'renamed') : visit.notFound('batch');
  });

  add('stop', async (visit, named) => {
    const stopped = await stopBatch(db, named, settings);
    if (stopped.kind === 'no such batch') return visit.notFound('batch');
    if (stopped.kind !== 'stopped') return back(visit, named, 'completed');
    if (stopped.refunded > 0) onCredits(stopped.refunded, 'batch-refund');
    if (stopped.hasCallback) wakeCallbacks();
    return back(visit, named, 'stopped');
  });

  add('delete', async (visit, named) => {
    const { kind } = await deleteBatch(db, named, settings);
    return kind === 'deleted' ? visit.goTo(`${BATCHES}?done=deleted`) : visit.notFound('batch');
  });

  add('send-callback', async (visit, named) => {
    const outcome = await sendCallbackAgain(db, named);
    if (outcome === 'no such batch' || outcome === 'no callback') return visit.notFound('callback');
    return back(visit, named, SENT[outcome]);
  });
}

const SENT = { due: 'sent', 'being sent': 'sending', expired: 'expired' } as const;

const back = (visit: Visit, { id }: Named, done: keyof typeof DONE): FastifyReply =>
  visit.goTo(`${pathOf(id)}?done=${done}`);
