/** The schemas of `/v1/verify`, for validation, types and documentation. */
import { type Static, Type } from '@sinclair/typebox';
import { STAGES } from '../../engine/verifier.ts';
import { REASONS, STATES } from '../../protocol/result.ts';

/** A parameter that is on or off. Python writes `True` for it, and PHP `1`. */
export const flag = (description: string, standard: boolean) =>
  Type.Optional(
    Type.Boolean({ description, default: standard, expected: 'true or false (these words, in lower case)' }),
  );

export const VerifyParameters = Type.Object({
  email: Type.String({
    description:
      'The address to verify. White space around it is ignored. Text that is not an address gets the result `invalid_email`. In a query, write a plus sign as `%2B`.',
    pattern: '\\S',
    expected: 'the address to verify',
  }),
  smtp: flag(
    'Whether to ask the mail server. `false` makes the response faster and much less accurate.',
    true,
  ),
  accept_all: flag(
    'Whether to test if the mail server accepts every address. `true` makes the response much slower.',
    false,
  ),
  timeout: Type.Optional(
    Type.Integer({
      description: 'How many seconds to wait for the verification. After that, the response is a 249.',
      minimum: 2,
      maximum: 10,
      default: 5,
      expected: 'a whole number of seconds from 2 to 10',
    }),
  ),
  captcha_response: Type.Optional(
    Type.String({
      description:
        'The token of a solved captcha. A token works for one request. Only public keys with a captcha provider need it.',
      expected: 'the token of a solved captcha',
    }),
  ),
});
export type VerifyParameters = Static<typeof VerifyParameters>;

const text = (description: string) => Type.String({ description });
const isSo = (description: string) => Type.Boolean({ description });
/** One schema with a list of types. A union of schemas would be tried one by one for every response. */
const nullable = <T>(type: 'string' | 'boolean', description: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], description });
const nullableText = (description: string) => nullable<string>('string', description);

/** The fields of the interface's section 2.1. `birth_year`, which is always null, is left out. */
export const ResultSchema = Type.Object(
  {
    accept_all: nullable<boolean>(
      'boolean',
      'Whether the mail server accepts every address, valid or not. Null if that was not tested.',
    ),
    did_you_mean: nullableText('The address that was probably meant.'),
    disposable: isSo('Hosted by a disposable or temporary service.'),
    domain: text('The domain of the address.'),
    duration: Type.Number({ description: 'Seconds spent verifying.' }),
    email: text('The address that was verified.'),
    first_name: nullableText('Possible first name of the user.'),
    free: isSo('Hosted by a free email provider.'),
    full_name: nullableText('Possible full name of the user.'),
    gender: nullableText('Possible gender of the user.'),
    last_name: nullableText('Possible last name of the user.'),
    mailbox_full: isSo('The mailbox is full, and delivery may fail.'),
    mx_record: text('The mail server that was asked. Empty if no server was asked.'),
    no_reply: isSo('The address says that you should not reply to it.'),
    reason: Type.Unsafe<(typeof REASONS)[number]>({
      type: 'string',
      enum: [...REASONS],
      description: 'The reason for `state`.',
    }),
    role: isSo('A role address, such as support or info.'),
    score: Type.Integer({
      description:
        '0 for undeliverable, 1–79 for risky, 80–100 for deliverable, and 50 for unknown addresses.',
    }),
    smtp_provider: nullableText('The provider that runs the mail server of the domain.'),
    state: Type.Unsafe<(typeof STATES)[number]>({
      type: 'string',
      enum: [...STATES],
      description: 'Whether mail to the address arrives.',
    }),
    tag: nullableText('The text after the first plus sign of the local part.'),
    user: text('The local part without its tag.'),
  },
  { title: 'Result' },
);

const EvidenceSchema = Type.Object({
  atMs: Type.Integer({ description: 'Milliseconds since the verification began.' }),
  tookMs: Type.Optional(Type.Integer({ description: 'How many milliseconds the step took.' })),
  stage: Type.Unsafe<(typeof STAGES)[number]>({
    type: 'string',
    enum: [...STAGES],
    description: 'The kind of step.',
  }),
  server: Type.Optional(text('The mail server or the name server that was asked.')),
  code: Type.Optional(Type.Integer({ description: 'The code of an SMTP reply.' })),
  rule: Type.Optional(text('The rule that decided.')),
  text: text('The request and the reply. Replies are quoted without addresses.'),
});

export const ExplanationSchema = Type.Object(
  {
    ...ResultSchema.properties,
    evidence: Type.Array(EvidenceSchema, { description: 'The steps of the verification, in order.' }),
  },
  { title: 'Explanation' },
);

export const MessageSchema = Type.Object(
  {
    message: Type.String({ description: 'What is wrong, in one sentence.' }),
    billing_page: Type.Optional(
      Type.String({
        description:
          'Of a 402: the URL of the page on which the owner of the account buys credits, if the operator has one. A public key does not get it.',
      }),
    ),
    support: Type.Optional(
      Type.String({
        description:
          'Of a 402 without `billing_page`: whom the owner of the account can ask for credits, if the operator says so. A public key does not get it.',
      }),
    ),
  },
  { title: 'Message' },
);

export const TRY_AGAIN = 'Your request is taking longer than normal. Please send your request again.';
