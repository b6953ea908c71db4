/** `/dashboard/batches/new` and `/dashboard/lists/`: uploads a list, reviews it, and starts its batch. */
import type { FastifyReply } from 'fastify';
import { DEFAULT_ENGINE_OPTIONS } from '../../../engine/options.ts';
import { findDetails } from '../../batch/overview/batch-overview-store.ts';
import { MOST_ADDRESSES } from '../../batch/parse-addresses.ts';
import { whyFull } from '../../batch/storage/storage-limits.ts';
import { Failure } from '../../core/failures.ts';
import { counted } from '../../core/format.ts';
import { isId } from '../../core/random-id.ts';
import { findOpenPayment } from '../../credits/billing/payment-store.ts';
import type { Deps } from '../../deps/deps.ts';
import { queryParameters } from '../../http/parameters.ts';
import {
  deleteDraft,
  draftsOf,
  findList,
  type List,
  readLimits,
  sheetsOf,
  storeTitlesOfOld,
} from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { outcome } from '../../pages/page-layout.ts';
import { leaveRest } from '../../people/sessions/page-forms.ts';
import { done } from '../done.ts';
import type { Fields } from '../form-fields.ts';
import { withMoments } from '../moment.ts';
import { moreCreditsWords } from '../more-credits-words.ts';
import { rightToChangeBatch } from '../own-objects.ts';
import {
  addAction,
  addPage,
  type DashboardDeps,
  type DashboardScope,
  letIn,
  refuse,
  type Visit,
  visitOf,
} from '../visit.ts';
import { type Account, costOf, obstacleOf } from './batch-cost.ts';
import { readAgain } from './choose-encoding.ts';
import { isSampleFree, MOST_FREE, startSample } from './forecast-sample.ts';
import { FREE } from './forecast-section.ts';
import type { Entries } from './list-entries.ts';
import { readShown, useEntries } from './look-through.ts';
import { sayFull, takeUpload } from './receive-upload.ts';
import {
  type Choices,
  firstChoices,
  MOST_COLUMNS,
  readChoices,
  sayTooManyColumns,
} from './review-choices.ts';
import { sendReviewPage } from './review-page.ts';
import { isConfirmed } from './review-signature.ts';
import { startBatch } from './start-batch.ts';
import { keptFor, sendUploadPage, type UploadPage } from './upload-page.ts';

const NEW = '/dashboard/batches/new';
const LISTS = '/dashboard/lists';
const BUSY_SECONDS = 5;

const DONE = { read: 'The list was read again, in the encoding that you chose.' };

export function listsPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db } = deps;

  addPage(scope, NEW, { right: 'verify' }, async (visit) => {
    const isDiscarded = queryParameters(visit.request).get('done')?.[0] === 'discarded';
    return sendUpload(deps, visit, { isDiscarded });
  });

  scope.app.post(LISTS, async (request, reply) => {
    if (!request.browser.signedIn) {
      leaveRest(reply);
      return refuse(scope, reply, NEW);
    }
    if (!visitOf(scope, reply).may('verify')) leaveRest(reply);
    return letIn(scope, reply, 'verify', takeList);
  });

  async function takeList(visit: Visit): Promise<FastifyReply> {
    const { request, reply } = visit;
    request.awaitUpload();
    const keptSeconds = deps.settings.durations.review;
    const uploaded = await takeUpload({ db, reader: deps.listReader, keptSeconds }, visit);
    leaveRest(reply);
    switch (uploaded.kind) {
      case 'stored':
        return visit.goTo(`${LISTS}/${uploaded.id}`);
      case 'foreign':
        return refuse(scope, reply, NEW);
      case 'busy':
        reply.code(503).header('Retry-After', BUSY_SECONDS);
        return sendUpload(deps, visit, { fault: BUSY, pasted: uploaded.pasted });
      case 'refused':
        reply.code(422);
        return sendUpload(deps, visit, uploaded);
    }
  }

  /** Finds the list in the path, which the person may change. */
  const withList = async (visit: Visit, answer: (list: List) => FastifyReply | Promise<FastifyReply>) => {
    const list = await listOf(deps, visit);
    if (!list) return sendLost(deps, visit);
    const missing = rightToChangeBatch(visit, list);
    return missing ? visit.forbidden(missing) : answer(list);
  };
  const act = (path: string, answer: (visit: Visit, list: List, fields: Fields) => Promise<FastifyReply>) =>
    addAction(scope, path, { right: 'verify', back: NEW }, (visit, fields) =>
      withList(visit, (list) => answer(visit, list, fields)),
    );

  addPage(scope, `${LISTS}/:id`, { right: 'verify' }, (visit) =>
    withList(visit, (list) =>
      list.batch_id === null
        ? firstLook(deps, visit, list, { said: done(visit, DONE) })
        : visit.goTo(`/dashboard/batches/${list.batch_id}`),
    ),
  );

  act(`${LISTS}/:id`, async (visit, list, fields) => {
    if (list.batch_id !== null) return visit.goTo(`/dashboard/batches/${list.batch_id}`);
    const choices = readChoices(list, fields);
    visit.request.awaitWork();
    const layout = { ...choices, columns: choices.columns.slice(0, MOST_COLUMNS) };
    return useEntries(db, visit.accountId, list, layout, (entries) => {
      if (!entries) return sendLost(deps, visit);
      const review = { list, choices, entries };
      const fault = sayTooManyColumns(choices.columns.length);
      if (fault !== undefined) return look(deps, visit, review, { fault });
      switch (fields.get('act')) {
        case 'start':
          return start(deps, visit, review, fields.get('shown'));
        case 'forecast':
          return forecast(deps, visit, review, fields.has(FREE));
        default:
          return look(deps, visit, review);
      }
    });
  });

  act(`${LISTS}/:id/encoding`, async (visit, list, fields) => {
    visit.request.awaitWork();
    const codec = fields.get('encoding') ?? '';
    const read = await readAgain({ db, reader: deps.listReader }, visit.accountId, list, codec);
    switch (read.kind) {
      case 'read':
        return visit.goTo(`${LISTS}/${read.id}?done=read`);
      case 'gone':
        return visit.goTo(`${LISTS}/${list.id}`);
      case 'busy':
        visit.reply.header('Retry-After', BUSY_SECONDS);
        return firstLook(deps, visit, list, { fault: BUSY_AGAIN, status: 503 });
      case 'refused':
        return firstLook(deps, visit, list, { fault: read.fault });
    }
  });

  act(`${LISTS}/:id/discard`, async (visit, list) => {
    // If it was just started, its owner can delete the batch.
    if (await deleteDraft(db, visit.accountId, list)) return visit.goTo(`${NEW}?done=discarded`);
    return visit.goTo(`${LISTS}/${list.id}`);
  });
}

/** Another account's list gets the same page. */
function sendLost({ settings }: Pick<Deps, 'settings'>, { reply, site, send }: Visit): Promise<FastifyReply> {
  reply.code(404);
  return send({
    title: 'Not found',
    main: html`<h1>Not found</h1>
<p>Your account has no such list. Lists that you do not start are deleted after ${keptFor(settings.durations.review)}.</p>
<p><a class="button" href="${site.link(NEW)}">Upload it again</a></p>`,
  });
}

const BUSY_AGAIN =
  'The server is busy with other lists, so yours was not read again. Try again in a few seconds.';
const BUSY = 'The server is busy with other lists, so your list was not stored. Try again in a few seconds.';

async function sendUpload(deps: DashboardDeps, visit: Visit, page: Partial<UploadPage>) {
  const { batchSize } = await accountOf(deps, visit);
  const drafts = await draftsOf(deps.db, visit.accountId);
  const waits = keptFor(deps.settings.durations.review);
  const shown = drafts.filter((draft) => rightToChangeBatch(visit, draft) === undefined);
  const more = drafts.length - shown.length;
  return sendUploadPage(visit, {
    ...page,
    ...{ batchSize, drafts: shown, ofOthers: more, keptFor: waits, full: sayFull(drafts) },
  });
}

async function listOf({ db }: Pick<Deps, 'db'>, { request, accountId }: Visit): Promise<List | undefined> {
  const { id } = request.params as { id: string };
  const list = isId(id) ? await findList(db, accountId, id) : undefined;
  if (list?.batch_id === null) await storeTitlesOfOld(db, list);
  return list;
}

async function accountOf(deps: Pick<Deps, 'db' | 'settings'>, { accountId }: Visit): Promise<Account> {
  const { db } = deps;
  const { credits, batchSize } = (await readLimits(db, accountId)) ?? { credits: 0, batchSize: null };
  const isPaying = (await findOpenPayment(db, accountId)) !== undefined;
  const moreCredits = moreCreditsWords(deps, accountId);
  return { credits, isPaying, moreCredits, batchSize: batchSize ?? MOST_ADDRESSES };
}

async function firstLook(deps: DashboardDeps, visit: Visit, list: List, message: Message = {}) {
  const { catchAllByDefault } = deps.settings.live ?? DEFAULT_ENGINE_OPTIONS;
  const choices = firstChoices(list, deps.live !== undefined, catchAllByDefault);
  return useEntries(deps.db, visit.accountId, list, choices, async (entries) => {
    if (!entries) return sendLost(deps, visit);
    return look(deps, visit, { list, choices, entries }, message);
  });
}

/** A list, and what the batch would verify with these choices. */
interface Review {
  readonly list: List;
  readonly choices: Choices;
  readonly entries: Entries;
}

const readCost = async (deps: DashboardDeps, visit: Visit, { choices, entries }: Review) =>
  costOf(choices, entries, await accountOf(deps, visit), deps.settings.refundUnknown);

/** What the page says about the action that led to it. */
interface Message {
  readonly fault?: string | Html;
  readonly said?: Html | undefined;
  readonly isOfUrl?: boolean;
  /** @default 422 */
  readonly status?: number;
}

/** Shows the list with the figures for the choices. Stores nothing. */
async function look(deps: DashboardDeps, visit: Visit, review: Review, message: Message = {}) {
  const { list, choices } = review;
  const shown = await readShown(deps.db, list, choices.titles);
  const sheets = await sheetsOf(deps.db, visit.accountId, list);
  const cost = await readCost(deps, visit, review);
  const { accountId } = visit;
  const forecast = {
    sample: list.sample_id === null ? undefined : await findDetails(deps.db, list.sample_id, accountId),
    isFree: await isSampleFree(deps, accountId),
  };
  const { fault, said, isOfUrl, status = 422 } = message;
  if (fault !== undefined) visit.reply.code(status);
  return sendReviewPage(visit, {
    ...{ ...review, shown, sheets, cost, forecast, fault, said, isOfUrl },
    takesLive: deps.live !== undefined,
  });
}

/** Starts a sample, unless there is one, and shows its progress. The choices stay. */
async function forecast(deps: DashboardDeps, visit: Visit, review: Review, isPromised: boolean) {
  const { accountId, person } = visit;
  const { list, choices } = review;
  const again = (fault: string | Html) => look(deps, visit, review, { fault });
  const unavailable = whyNotLive(deps, { ...choices, mode: 'live' });
  if (unavailable !== undefined) return again(unavailable);
  const isThere = list.sample_id !== null && (await findDetails(deps.db, list.sample_id, accountId));
  const sampled = isThere
    ? ({ kind: 'started' } as const)
    : await startSample(deps, { accountId, person, ...review }, isPromised);
  switch (sampled.kind) {
    case 'not-free':
      return again(NOT_FREE);
    case 'no-credits':
      return again(creditsFault(sampled, moreCreditsWords(deps, accountId)));
    case 'storage-full':
      return again(`${whyFull(sampled, sampled.entries)} The batch was not started, and the list is kept.`);
    default: {
      const latest = await listOf(deps, visit);
      if (!latest) return sendLost(deps, visit);
      if (latest.batch_id !== null) return visit.goTo(`/dashboard/batches/${latest.batch_id}`);
      const said = outcome(isThere ? IS_THERE : IS_STARTED);
      return look(deps, visit, { ...review, list: latest }, { said });
    }
  }
}

async function start(deps: DashboardDeps, visit: Visit, review: Review, seen: string | undefined) {
  const { accountId, person } = visit;
  const { choices } = review;
  const again = (fault: string | Html, more: Message = {}) => look(deps, visit, review, { fault, ...more });
  const unavailable = whyNotLive(deps, choices);
  if (unavailable !== undefined) return again(unavailable);
  const cost = await readCost(deps, visit, review);
  const obstacle = obstacleOf(cost);
  if (obstacle !== undefined) return again(obstacle);
  if (!isConfirmed(seen, choices, cost)) return again(OTHER_CHOICES);
  try {
    const started = await startBatch(deps, { accountId, person, ...review });
    switch (started.kind) {
      case 'started':
        return visit.goTo(`/dashboard/batches/${started.batchId}?done=begun`);
      case 'gone':
        return sendLost(deps, visit);
      case 'no-credits':
        return again(creditsFault(started, moreCreditsWords(deps, accountId)));
      case 'storage-full':
        return again(`${whyFull(started, started.entries)} The batch was not started, and the list is kept.`);
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'badRequest') throw error;
    return again(error.message.replace('Expected url', 'Expected the callback URL'), { isOfUrl: true });
  }
}

const IS_STARTED = 'The sample was started. Its progress is under “Forecast”.';
const IS_THERE = 'The list already has a sample. It is under “Forecast”.';
const NOT_FREE = `The ${MOST_FREE} free samples of a day are used up, so the sample was not started. You can pay for one, or verify one tomorrow.`;

const OTHER_CHOICES =
  'The figures have changed with your choices, so the batch was not started. Check the figures, then start it again.';

function whyNotLive({ live, isPortClosed }: DashboardDeps, { mode }: Choices): string | undefined {
  if (mode === 'test') return undefined;
  if (!live) return 'This server does not verify live batches, so the batch was not started. Choose Test.';
  if (isPortClosed())
    return 'This server cannot reach any mail server at the moment, so the batch was not started. The list is kept. Try again later, or choose Test.';
  return undefined;
}

interface Missing {
  readonly needed: number;
  readonly available: number;
  /** The message of billing, if it was asked. */
  readonly message?: string;
}

function creditsFault({ needed, available, message }: Missing, moreCredits: Html): Html {
  const missing = needed - available;
  const why =
    message ??
    `${counted(missing, 'credit is', 'credits are')} missing: the batch needs ${counted(needed, 'credit')}, and you have ${counted(available, 'credit')}.`;
  return html`${withMoments(`${why} The batch was not started, and the list is kept.`)} ${moreCredits}`;
}
