/** What `/v1/verify` takes and gives, as schemas: validation, types and, later, documentation come from here. */
import { type Static, Type } from '@sinclair/typebox';
import { REASONS, STATES } from '../../interface/result.ts';

const flag = (expected = 'true or false') => Type.Optional(Type.Boolean({ expected }));

export const VerifyParameters = Type.Object({
  email: Type.String({ pattern: '\\S', expected: 'the address to verify' }),
  smtp: flag(),
  accept_all: flag(),
  timeout: Type.Optional(
    Type.Integer({ minimum: 2, maximum: 10, expected: 'a whole number of seconds from 2 to 10' }),
  ),
  captcha_response: Type.Optional(Type.String({ expected: 'the token of a solved captcha' })),
});
export type VerifyParameters = Static<typeof VerifyParameters>;

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** The fields of the interface's section 2.1, and no other. `birth_year`, null wherever it occurs, is left out. */
export const ResultSchema = Type.Object({
  accept_all: Type.Union([Type.Boolean(), Type.Null()]),
  did_you_mean: nullableText,
  disposable: Type.Boolean(),
  domain: Type.String(),
  duration: Type.Number(),
  email: Type.String(),
  first_name: nullableText,
  free: Type.Boolean(),
  full_name: nullableText,
  gender: nullableText,
  last_name: nullableText,
  mailbox_full: Type.Boolean(),
  mx_record: Type.String(),
  no_reply: Type.Boolean(),
  reason: Type.Unsafe<(typeof REASONS)[number]>({ type: 'string', enum: [...REASONS] }),
  role: Type.Boolean(),
  score: Type.Integer(),
  smtp_provider: nullableText,
  state: Type.Unsafe<(typeof STATES)[number]>({ type: 'string', enum: [...STATES] }),
  tag: nullableText,
  user: Type.String(),
});

export const MessageSchema = Type.Object({ message: Type.String() });
