/** What the service's documentation says about `/v1/batch`, besides what the schemas say. */
import type { SwaggerTransform } from '@fastify/swagger';
import { MAX_BATCH_BODY_BYTES } from '../bounds.ts';
import { creditsMissing } from '../credits/missing.ts';
import { Failure, type FailureCode } from '../failures.ts';
import { MESSAGES } from './response.ts';
import { CreateParameters, StatusParameters } from './schema.ts';

const TAGS = ['Batch'];
const SECURITY = [{ bearer: [] }, { apiKey: [] }, { accessToken: [] }];
const ID = '6f9619ff8b86d011b42d00c0';

const example = (code: string, message: string) => [code, { summary: code, value: { message } }] as const;
const failure = (description: string, ...codes: readonly FailureCode[]) =>
  failureWith(description, ...codes.map((code) => example(code, new Failure(code).message)));
const failureWith = (description: string, ...examples: readonly ReturnType<typeof example>[]) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Message' },
      examples: Object.fromEntries(examples),
    },
  },
});
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
  400: failure('A parameter is wrong. The message says which one, and what is expected.', 'badRequest'),
  401: failure('The request has no credential.', 'credentialMissing'),
  403: failure(
    'The key is not accepted here, is a public one, or belongs to no account.',
    'refused',
    'publicKeyRefused',
    'noAccount',
  ),
  429: failure('The account sends more requests in a second than it may.', 'tooManyRequests'),
};

export const documentCreate: SwaggerTransform = ({ url }) => {
  const { type, required, properties } = CreateParameters;
  const schema = { type, required, properties };
  return {
    url,
    schema: {
      tags: TAGS,
      summary: 'Create a batch',
      description: `Takes many addresses at once (${MAX_BATCH_BODY_BYTES / 1024 / 1024} MiB at most) and returns the id of their batch. Each distinct address costs a credit, which comes back if its result is unknown. Addresses that differ in case only are the same. With the header \`Idempotency-Key\`, a request can be sent again and makes one batch.`,
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
        402: failureWith(
          'The account has too few credits. Nothing was created.',
          example('creditsMissing', creditsMissing(500, 20).message),
        ),
        409: failure('The first request with this `Idempotency-Key` is still running.', 'idempotencyRunning'),
        413: failureWith(
          'The body is too large.',
          example('bodyTooLarge', `Expected a body of at most ${MAX_BATCH_BODY_BYTES / 1024} KiB.`),
        ),
        415: failure('The body has another type than the three.', 'bodyNotSupported'),
        422: failure('The `Idempotency-Key` belongs to another request.', 'idempotencyMismatch'),
        503: failure(
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
      'Returns how many entries have a result, and all results once the batch is completed. Up to 1,000 entries, the results are in the response. They are kept for 30 days. The counts stay.',
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
      404: failureWith(
        'The account has no such batch.',
        example('notFound', 'There is no batch with this id.'),
      ),
      503: failure('The database cannot be reached, or there is none.', 'databaseAway', 'databaseMissing'),
    },
  },
});
