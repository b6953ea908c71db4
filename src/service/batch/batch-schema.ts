/** The schemas of `/v1/batch`, for validation, types and documentation. */
import { type Static, Type } from '@sinclair/typebox';
import { REASONS, STATES } from '../../protocol/result.ts';
import { flag, ResultSchema } from '../verify/verify-schema.ts';
import { RESULT_FIELDS } from './result-fields.ts';
import { SIMULATED_ON_GET, SIMULATED_ON_POST } from './simulate-batch.ts';

const oneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Optional(
    Type.Unsafe<Word>(
      Type.String({
        pattern: `^(${words.join('|')})$`,
        enum: [...words],
        description,
        expected: `one of ${words.join(', ')}`,
      }),
    ),
  );

/** Separate files check `emails` and `response_fields`, because a schema cannot express their rules. */
export const CreateParameters = Type.Object({
  emails: Type.Unknown({
    type: ['string', 'array'],
    expected: 'the addresses to verify',
    items: { type: 'string' },
    description:
      'The addresses to verify, separated by commas or line breaks. In JSON, you can also send a list. In a form, several fields `emails[]` are a list. In multipart, a file counts as its text. A batch takes up to 50,000 addresses, unless the account has another limit.',
  }),
  url: Type.Optional(
    Type.String({
      description:
        'When the batch is completed, the service sends the same JSON as GET returns to this URL, by POST. The receiver must answer 200. Otherwise, the service sends it again every hour for 3 days. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks.',
      expected: 'an http or https URL',
    }),
  ),
  response_fields: Type.Optional(
    Type.Unknown({
      type: ['string', 'array'],
      items: { type: 'string', enum: RESULT_FIELDS },
      description: `The fields of each result, separated by commas. The default is all: ${RESULT_FIELDS.join(', ')}.`,
    }),
  ),
  retries: flag(
    'Whether to try again if a result may be temporary. `false` gives more unknown results.',
    true,
  ),
  accept_all: Type.Optional(
    Type.Boolean({
      description:
        'Whether to find out which domains accept every address. The service asks each domain once for all its addresses. With `false`, `accept_all` is null in all results, and what is known already still makes an address risky. The default is `true`, unless the operator has changed it. With test keys, it is `false`.',
      expected: 'true or false (these words, in lower case)',
    }),
  ),
  simulate: oneOf(SIMULATED_ON_POST, 'With test keys only: the failure to cause.'),
});
export type CreateParameters = Static<typeof CreateParameters>;

export const StatusParameters = Type.Object({
  id: Type.Optional(Type.String({ description: 'The id of the batch.', expected: 'the id of a batch' })),
  partial: flag(
    'Whether the response has the results so far, while the batch is processed. Works for batches of up to 1,000 addresses.',
    false,
  ),
  simulate: oneOf(SIMULATED_ON_GET, 'With test keys only: the status or the failure to return.'),
});
export type StatusParameters = Static<typeof StatusParameters>;

export const CreatedSchema = Type.Object(
  {
    message: Type.String({ description: 'Says that the batch was created.' }),
    id: Type.String({ description: 'The id of the batch: 24 hexadecimal digits.' }),
  },
  { title: 'BatchCreated' },
);

const count = (description: string) => Type.Integer({ description });
const counts = (description: string, names: readonly string[], about: (name: string) => string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, count(about(name))])), { description });

/**
 * For the documentation only. The fields of a result depend on `response_fields`, so responses do not use this schema.
 */
export const StatusSchema = Type.Object(
  {
    message: Type.String({ description: 'The progress of the batch.' }),
    id: Type.Optional(Type.String({ description: 'The id of the batch.' })),
    processed: Type.Optional(count('How many entries have a result. Present until the batch is completed.')),
    total: Type.Optional(count('How many entries were sent. Present until the batch is completed.')),
    emails: Type.Optional(
      Type.Array(Type.Partial(Type.Omit(ResultSchema, ['duration']), { title: 'BatchResult' }), {
        description:
          'The results in the order sent, each distinct address once, without `duration`. Up to 1,000 entries only.',
      }),
    ),
    download_file: Type.Optional(
      Type.String({ description: 'A ZIP file with the results as CSV. Over 1,000 entries only.' }),
    ),
    reason_counts: Type.Optional(
      counts(
        'How often each reason occurs.',
        REASONS,
        (name) => `Distinct addresses with the reason ${name}.`,
      ),
    ),
    total_counts: Type.Optional(
      counts(
        'How often each state occurs, and how many entries there are.',
        [...STATES, 'processed', 'total', 'duplicate'],
        (name) =>
          name === 'processed'
            ? 'Entries with a result.'
            : name === 'total'
              ? 'All entries.'
              : name === 'duplicate'
                ? 'Entries that are equal to an earlier one.'
                : `Distinct addresses with the state ${name}.`,
      ),
    ),
  },
  { title: 'BatchStatus' },
);
