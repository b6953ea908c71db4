/** The section `limits`. An account may have its own limits. */
import type { Static } from '@sinclair/typebox';
import { MAX_LIMIT, optionalNumber, section } from './shared-schemas.ts';

/** The defaults. */
export const DEFAULT_LIMITS = {
  verifyPerSecond: 25,
  batchPerSecond: 5,
  accountPerSecond: 5,
  uniquePerDay: 10,
};

const limit = (name: keyof typeof DEFAULT_LIMITS, unit: string, description: string) =>
  optionalNumber(1, MAX_LIMIT, { description, default: DEFAULT_LIMITS[name], unit });

export const LimitsSchema = section(
  {
    verifyPerSecond: limit('verifyPerSecond', 'requests per second', 'Requests to `/v1/verify`.'),
    batchPerSecond: limit('batchPerSecond', 'requests per second', 'Requests to `/v1/batch`.'),
    accountPerSecond: limit('accountPerSecond', 'requests per second', 'Requests to `/v1/account`.'),
    uniquePerDay: limit(
      'uniquePerDay',
      'addresses per day',
      'Different addresses that a visitor may verify in a day with a public live key.',
    ),
  },
  {
    title: 'Rate limits',
    description:
      'All keys and access tokens of an account share its limits, and an account can have its own: see [Rate limits](service.md#rate-limits). To switch a limit off in practice, set it to 1,000,000.',
  },
);

export type Limits = Required<Static<typeof LimitsSchema>>;
