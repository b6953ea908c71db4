/** The documentation of `/v1/batch`, in addition to its schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { MAX_BATCH_BODY_BYTES } from '../bounds.ts';
import { creditsMissing } from '../credits/missing.ts';
import { ACCOUNT_REFUSALS, documentFailure, SECURITY } from '../failure-documentation.ts';
import { Failure } from '../failures.ts';
import { MESSAGES } from './response.ts';
import { CreateParameters, StatusParameters } from './schema.ts';

const TAGS = ['Batch'];
const ID = '6f9619ff8b86d011b42d00c0';

const answer = (schema: string, description: string, value: object) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      examples: { batch: { summary: description, value } },
    },
  },
});

const FAILURES = {
  400: documentFailure(
    'A parameter is wrong. The message says which one, and what is expected.',
    'badRequest',
  ),
  ...ACCOUNT_REFUSALS,
};

export const documentCreate: SwaggerTransform = ({ url }) => {
  const { type, required, properties } = CreateParameters;
  const schema = { type, required, properties };
  return {
    url,
    schema: {
      tags: TAGS,
      summary: 'Create a batch',
      description: `Creates a batch of many addresses, and returns its id. The body may have up to ${MAX_BATCH_BODY_BYTES / 1024 / 1024} MiB. Each distinct address costs a credit, and an unknown result gives it back unless the operator has turned that off. Addresses that differ only in case are the same. With the header \`Idempotency-Key\`, you can send a request again and it still makes one batch.`,
      operationId: 'createBatch',
      security: SECURITY,
      body: {
        content: {
          'application/x-www-form-urlencoded': { schema },
          'multipart/form-data': { schema },
          'application/json': { schema },
        },
      },
      response: {
        200: answer('BatchCreated', 'The batch.', { message: MESSAGES.created, id: ID }),
        ...FAILURES,
        402: documentFailure(
          'The account has too few credits. No batch was created.',
          creditsMissing(500, 20),
        ),
        409: documentFailure(
          'The first request with this `Idempotency-Key` is still running.',
          'idempotencyRunning',
        ),
        413: documentFailure(
          'The body is too large.',
          new Failure('bodyTooLarge', `Expected a body of at most ${MAX_BATCH_BODY_BYTES / 1024} KiB.`),
        ),
        415: documentFailure('The type of the body is not supported.', 'bodyNotSupported'),
        422: documentFailure(
          'The `Idempotency-Key` was sent with a different request before.',
          'idempotencyMismatch',
        ),
        503: documentFailure(
          'Live verification or the database is not available.',
          'liveUnavailable',
          'portClosed',
          'databaseAway',
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
    querystring: StatusParameters,
    response: {
      200: answer('BatchStatus', 'The status.', {
        message: MESSAGES.verifying,
        processed: 320,
        total: 500,
      }),
      ...FAILURES,
      404: documentFailure(
        'The account has no such batch.',
        new Failure('notFound', 'There is no batch with this id.'),
      ),
      503: documentFailure(
        'The service has no database, or cannot reach it.',
        'databaseAway',
        'databaseMissing',
      ),
    },
  },
});
