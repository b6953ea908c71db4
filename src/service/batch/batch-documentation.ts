/** The documentation of `/v1/batch`, in addition to its schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { MAX_BATCH_BODY_BYTES } from '../core/bounds.ts';
import {
  ACCOUNT_REFUSALS,
  documentFailure,
  documentJson,
  IDEMPOTENCY_FAILURES,
  SECURITY,
} from '../core/failure-documentation.ts';
import { Failure } from '../core/failures.ts';
import { bodyIn, IDEMPOTENCY_KEY, withExamples } from '../core/request-documentation.ts';
import { MISSING_CREDITS, sayOpen } from '../credits/billing/payment-words.ts';
import { creditsMissing } from '../credits/missing-credits.ts';
import { DATABASE_FAILURES } from '../database/database-failure.ts';
import { tooManyBodies } from '../http/body-room.ts';
import { EXAMPLE_ID, STATUSES } from './batch-examples.ts';
import { MESSAGES, NO_SUCH_BATCH } from './batch-response.ts';
import { CreateParameters, StatusParameters } from './batch-schema.ts';
import { tooManyAtOnce } from './entries/arriving-addresses.ts';
import { SIMULATED_ON_POST, simulatedFailure } from './simulate-batch.ts';
import { LIVE_STORAGE, storageFull } from './storage/storage-limits.ts';

const TAGS = ['Batch'];
/** Of the examples. */
const MISSING = { needed: 500, available: 20 };

const PAYMENTS = SIMULATED_ON_POST.filter((name) => name !== 'generic_error');

const FAULT = documentFailure(
  'The service failed. With a test key, `simulate=generic_error` causes this.',
  'internal',
  simulatedFailure('generic_error'),
);

const LIST = ['deliverable@example.com', 'undeliverable@example.com'];
const exampleOf = (emails: string | readonly string[]) => ({
  list: { summary: 'Two addresses', value: { emails } },
});

export const documentCreate: SwaggerTransform = ({ url }) => {
  const { type, required, properties } = CreateParameters;
  const schema = { type, required, properties };
  return {
    url,
    schema: {
      tags: TAGS,
      summary: 'Create a batch',
      description: `Creates a batch of many addresses, and returns its id. The body may have up to ${MAX_BATCH_BODY_BYTES / 1024 / 1024} MiB. For an account that may send more than 50,000 addresses, it may have 330 bytes for each of them, if the credential is in the header or the query. Each distinct address costs a credit, and an unknown result gives it back unless the operator has turned that off. Addresses that differ only in case are the same. With the header \`Idempotency-Key\`, you can send a request again and it still makes one batch. A parameter that can only be meant for another one, such as \`callback_url\` for \`url\`, is a 400 and costs nothing.`,
      operationId: 'createBatch',
      security: SECURITY,
      headers: IDEMPOTENCY_KEY,
      body: {
        content: {
          ...bodyIn(
            ['application/x-www-form-urlencoded', 'multipart/form-data'],
            schema,
            exampleOf(LIST.join()),
          ),
          ...bodyIn(['application/json'], schema, exampleOf(LIST)),
        },
      },
      response: {
        200: documentJson('BatchCreated', 'The batch.', {
          created: { summary: 'The batch.', value: { message: MESSAGES.created, id: EXAMPLE_ID } },
        }),
        ...ACCOUNT_REFUSALS,
        ...IDEMPOTENCY_FAILURES,
        500: FAULT,
        402: documentFailure(
          `${MISSING_CREDITS} No batch was created.`,
          creditsMissing(MISSING),
          creditsMissing(MISSING, { billing_page: 'https://billing.example/acc_0f4b8c1d2e3f405162738495' }),
          creditsMissing({ ...MISSING, message: sayOpen(MISSING, { malformed: 0 }) }),
          ...PAYMENTS.map(simulatedFailure),
        ),
        429: documentFailure(
          'The account has sent too many requests in a second, its batches store as much as they may, or too many large batches are arriving. Or your network has sent too many unknown keys in a minute.',
          'tooManyRequests',
          'tooManyUnknownKeys',
          storageFull(
            { mode: 'live', stored: { ...LIVE_STORAGE, openBatches: 1 }, limits: LIVE_STORAGE, madeToday: 1 },
            500,
          ),
          tooManyAtOnce(),
          tooManyBodies(),
        ),
        413: documentFailure(
          'The body is too large. The message has the limit for this account and this place of the credential.',
          new Failure('bodyTooLarge', `Expected a body of at most ${MAX_BATCH_BODY_BYTES / 1024} KiB.`),
          new Failure('bodyTooLarge', 'Expected a body of at most 330000000 bytes.'),
        ),
        415: documentFailure('The type of the body is not supported.', 'bodyNotSupported'),
        503: documentFailure(
          'Live verification or the database is not available.',
          'liveUnavailable',
          'portClosed',
          ...DATABASE_FAILURES,
          'databaseMissing',
        ),
      },
    },
  };
};

export const documentStatus: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: TAGS,
    summary: 'Read the status of a batch',
    description:
      'Returns the progress of a batch, and its results once it is completed. With up to 1,000 entries, the results are in the response for 30 days. With more, the response has the URL of a file for 5 days. The counts stay.',
    operationId: 'batch',
    security: SECURITY,
    querystring: withExamples(StatusParameters, { id: EXAMPLE_ID }),
    response: {
      200: documentJson('BatchStatus', 'The status.', STATUSES),
      ...ACCOUNT_REFUSALS,
      500: FAULT,
      404: documentFailure('The account has no such batch.', new Failure('notFound', NO_SUCH_BATCH)),
      503: documentFailure(
        'The service has no database, or it cannot serve at the moment.',
        ...DATABASE_FAILURES,
        'databaseMissing',
      ),
    },
  },
});
