/** `/v1/batch`: creates batches, and returns their status. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { inSteps, nextTurn } from '../../shared/steps.ts';
import { type AccessRule, keyOf } from '../access/access.ts';
import { recordAuditEvent } from '../audit/audit-store.ts';
import type { CallbackRules } from '../config/sections/callbacks-section.ts';
import { MAX_BATCH_BODY_BYTES } from '../core/bounds.ts';
import { Failure, Refusal } from '../core/failures.ts';
import { isId } from '../core/random-id.ts';
import { creditsMissing } from '../credits/missing-credits.ts';
import { type MoreCredits, moreCreditsOf } from '../credits/more-credits.ts';
import type { Db } from '../database/schema.ts';
import type { Deps } from '../deps/deps.ts';
import { freeBody } from '../http/body-room.ts';
import { readLargeBodies } from '../http/large-body.ts';
import { takeField } from '../http/large-field.ts';
import { queryParameters } from '../http/parameters.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { keyedLargeRequest, runOnce } from '../idempotency/idempotency-header.ts';
import type { Key } from '../keys/key.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';
import { MessageSchema } from '../verify/verify-schema.ts';
import { readReceiverUrl } from '../webhooks/receiver-url.ts';
import { documentCreate, documentStatus } from './batch-documentation.ts';
import { mergeCreate, mergeStatus, refuseInQuery } from './batch-parameters.ts';
import { NO_SUCH_BATCH } from './batch-response.ts';
import { CreatedSchema, CreateParameters, StatusParameters } from './batch-schema.ts';
import { readStatus } from './batch-status.ts';
import { type BatchRequest, type Created, createBatch } from './create-batch.ts';
import { largeBodyOf } from './entries/arriving-addresses.ts';
import { AddressReader, MOST_ADDRESSES, parseAddresses } from './parse-addresses.ts';
import { readResponseFields } from './result-fields.ts';
import { simulatedFailure, simulatedStatus } from './simulate-batch.ts';
import { storageFull } from './storage/storage-limits.ts';

const PATH = '/v1/batch';

export interface BatchRouteOptions {
  readonly deps: Deps & { readonly idempotency: Idempotency; readonly live: LiveVerifications | undefined };
}

const ACCESS: Omit<AccessRule, 'merge'> = { endpoint: 'batch', publicKeys: false, needsAccount: true };
const MESSAGES = { '4xx': MessageSchema, '5xx': MessageSchema };

/** Must be registered in a scope with guarded routes. */
export const batchRoute: FastifyPluginAsyncTypebox<BatchRouteOptions> = async (app, { deps }) => {
  const { db, settings, idempotency, publicUrl } = deps;
  readLargeBodies(app);

  app.post(
    PATH,
    {
      bodyLimit: MAX_BATCH_BODY_BYTES,
      config: {
        access: { ...ACCESS, files: ['emails'], largeBody: largeBodyOf, merge: mergeCreate },
        swaggerTransform: documentCreate,
      },
      schema: { querystring: CreateParameters, response: { 200: CreatedSchema, ...MESSAGES } },
    },
    async function create(request, reply) {
      const key = keyOf(request);
      // A client that is gone does not stop the batch.
      const field = takeField(request);
      try {
        const wanted = await wantedOf(request, key, settings.callbacks);
        freeBody(request);
        const keyed = await keyedLargeRequest(request, key, PATH, () => contentOf(wanted));
        const run = async () => {
          refuseUnavailable(key, deps);
          const created = bodyOf(
            await createBatch(deps, { ...wanted, keyed, alongside: recordCreation(key, wanted) }),
            moreCreditsOf(settings, wanted.accountId),
          );
          return { status: 200, body: created, isStored: true };
        };
        if (keyed) return await runOnce(idempotency, keyed, reply, run);
        const { body } = await run();
        return reply.type('application/json; charset=utf-8').send(body as never);
      } finally {
        await field?.close();
      }
    },
  );

  app.get(
    PATH,
    {
      config: { access: { ...ACCESS, merge: mergeStatus }, swaggerTransform: documentStatus },
      schema: { querystring: StatusParameters, response: MESSAGES },
    },
    async function status(request, reply) {
      const key = keyOf(request);
      const { id, partial, simulate } = request.query;
      refuseToSimulate(key, simulate);
      // The fields of the results depend on the request, so no schema serialises them.
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
      if (simulate !== undefined) return simulatedStatus(simulate);
      if (id === undefined)
        throw new Failure('badRequest', 'Expected id to be the id of a batch, got nothing.');
      const question = { accountId: key.account!.id, id, partial };
      const body = isId(id) ? await readStatus(db, question, publicUrl.known) : undefined;
      if (!body) throw new Failure('notFound', NO_SUCH_BATCH);
      return body;
    },
  );
};

/** The content of the request, independent of its encoding. */
async function wantedOf(
  request: FastifyRequest,
  key: Key,
  callbackRules: CallbackRules,
): Promise<BatchRequest> {
  refuseInQuery(queryParameters(request));
  const parameters = request.query as CreateParameters;
  const { emails, url, response_fields, retries = true, accept_all: acceptAll, simulate } = parameters;
  refuseToSimulate(key, simulate);
  const { id: accountId, batchSize = MOST_ADDRESSES } = key.account!;
  const { entries, total } =
    emails instanceof AddressReader ? emails : await inSteps(parseAddresses(emails, batchSize));
  const wanted = {
    ...{ accountId, mode: key.mode, total, entries },
    responseFields: response_fields === undefined ? null : readResponseFields(response_fields),
    ...{ retries, acceptAll },
    url: url === undefined ? null : readReceiverUrl(url, callbackRules),
  };
  if (simulate !== undefined) throw simulatedFailure(simulate);
  return wanted;
}

/** The request as JSON, in pieces. All requests for the same batch have the same text. */
async function* contentOf({ entries, ...wanted }: BatchRequest): AsyncGenerator<string> {
  const { accountId, mode, total, ...others } = wanted;
  yield `${JSON.stringify({ accountId, mode, total }).slice(0, -1)},"entries":[`;
  let separator = '';
  for await (const part of entries.parts()) {
    await nextTurn();
    yield separator + JSON.stringify(part).slice(1, -1);
    separator = ',';
  }
  yield `],${JSON.stringify(others).slice(1)}`;
}

/** Records in the audit log which key or app has created the batch. */
const recordCreation =
  ({ bearer: actor }: Key, { accountId, mode, total }: BatchRequest) =>
  (transaction: Db, id: string): Promise<void> =>
    recordAuditEvent(transaction, {
      ...{ accountId, actor: actor!, action: 'batch.create', subject: { id } },
      details: { mode, entries: total },
    });

function refuseToSimulate({ mode }: Key, simulate: string | undefined): void {
  if (simulate === undefined || mode === 'test') return;
  throw new Failure('badRequest', 'Expected simulate with a key that begins with test_ only.');
}

function refuseUnavailable({ mode }: Key, { live, isPortClosed }: BatchRouteOptions['deps']): void {
  if (mode === 'test') return;
  if (!live) throw new Failure('liveUnavailable');
  if (isPortClosed()) throw new Failure('portClosed');
}

function bodyOf(created: Created, more: MoreCredits): string {
  switch (created.kind) {
    case 'created':
      return created.body;
    case 'no-credits':
      throw creditsMissing(created, more);
    case 'storage-full':
      throw storageFull(created, created.entries);
    case 'no-account':
      throw new Refusal('unknown_key');
    case 'key-lost':
      throw new Failure('idempotencyRunning', undefined, { 'Retry-After': '1' });
  }
}
