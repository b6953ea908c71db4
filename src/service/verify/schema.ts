/** What `/v1/verify` takes and gives, as schemas: validation, types and documentation come from here. */
import { type Static, Type } from '@sinclair/typebox';
import { STAGES } from '../../engine/verifier.ts';
import { REASONS, STATES } from '../../interface/result.ts';

const flag = (description: string, standard: boolean) =>
  Type.Optional(Type.Boolean({ description, default: standard, expected: 'true or false' }));

export const VerifyParameters = Type.Object({
  email: Type.String({
    description:
      'The address to verify; white space around it does not count. What is no address gets a result that says so. In a query a plus sign is written `%2B`.',
    pattern: '\\S',
    expected: 'the address to verify',
  }),
  smtp: flag(
    'Whether the mail server is asked. Without that the answer comes sooner, and is far less certain.',
    true,
  ),
  accept_all: flag(
    'Whether to find out if the server takes every address. Makes the answer a good deal slower.',
    false,
  ),
  timeout: Type.Optional(
    Type.Integer({
      description: 'Seconds to wait for the verification. When they are over, the answer is a 249.',
      minimum: 2,
      maximum: 10,
      default: 5,
      expected: 'a whole number of seconds from 2 to 10',
    }),
  ),
  captcha_response: Type.Optional(
    Type.String({
      description:
        'The token of a solved captcha, good for one request. Wanted by public keys that have a captcha provider, unread by all others.',
      expected: 'the token of a solved captcha',
    }),
  ),
});
export type VerifyParameters = Static<typeof VerifyParameters>;

const text = (description: string) => Type.String({ description });
const isSo = (description: string) => Type.Boolean({ description });
/** Both types in one list: a union of schemas would be tried one by one for every answer that is written. */
const nullable = <T>(type: 'string' | 'boolean', description: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], description });
const nullableText = (description: string) => nullable<string>('string', description);

/** The fields of the interface's section 2.1, and no other. `birth_year`, null wherever it occurs, is left out. */
export const ResultSchema = Type.Object(
  {
    accept_all: nullable<boolean>(
      'boolean',
      'The mail server takes every address, valid or not; null when that was not checked.',
    ),
    did_you_mean: nullableText('A whole address that was probably meant.'),
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
    mx_record: text('The mail server that was asked; empty when none was.'),
    no_reply: isSo('The address says that it is not to be replied to.'),
    reason: Type.Unsafe<(typeof REASONS)[number]>({
      type: 'string',
      enum: [...REASONS],
      description: 'Why `state` is what it is.',
    }),
    role: isSo('A role address, such as support or info.'),
    score: Type.Integer({
      description:
        '0 for undeliverable, 1–79 for risky, 80–100 for deliverable addresses. 50 for unknown ones.',
    }),
    smtp_provider: nullableText('Who runs the mail server of the domain.'),
    state: Type.Unsafe<(typeof STATES)[number]>({
      type: 'string',
      enum: [...STATES],
      description: 'Whether mail to the address arrives.',
    }),
    tag: nullableText('What follows the first plus sign of the local part.'),
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
    description: 'What was done.',
  }),
  server: Type.Optional(text('The mail server or the name server that was asked.')),
  code: Type.Optional(Type.Integer({ description: 'The code of an SMTP reply.' })),
  rule: Type.Optional(text('The rule that decided.')),
  text: text('What was asked and what came back. Replies are quoted without addresses.'),
});

export const ExplanationSchema = Type.Object(
  {
    ...ResultSchema.properties,
    evidence: Type.Array(EvidenceSchema, {
      description: 'The steps of the verification, in the order in which they were made.',
    }),
  },
  { title: 'Explanation' },
);

export const MessageSchema = Type.Object(
  { message: Type.String({ description: 'What is wrong, in one sentence.' }) },
  { title: 'Message' },
);

export const TRY_AGAIN = 'Your request is taking longer than normal. Please send your request again.';
