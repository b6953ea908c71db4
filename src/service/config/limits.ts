/** The section `limits`. An account may have limits of its own. */
import { type Static, Type } from '@sinclair/typebox';
import { MAX_LIMIT, wholeNumber } from './parts.ts';

export const LimitsSchema = Type.Object(
  {
    /** Requests to `/v1/verify` a second. */
    verifyPerSecond: Type.Optional(wholeNumber(1, MAX_LIMIT)),
    /** Requests to `/v1/batch` a second. */
    batchPerSecond: Type.Optional(wholeNumber(1, MAX_LIMIT)),
    /** Requests to `/v1/account` a second. */
    accountPerSecond: Type.Optional(wholeNumber(1, MAX_LIMIT)),
    /** Different addresses that a visitor may verify in a day with a public live key. */
    uniquePerDay: Type.Optional(wholeNumber(1, MAX_LIMIT)),
  },
  { additionalProperties: false, expected: 'an object' },
);

/** All limits, those of the interface's section 8 where the config names none. */
export type Limits = Required<Static<typeof LimitsSchema>>;

export const DEFAULT_LIMITS: Limits = {
  verifyPerSecond: 25,
  batchPerSecond: 5,
  accountPerSecond: 5,
  uniquePerDay: 10,
};
