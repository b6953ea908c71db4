/** The state of each reason. */
import { REASONS, type Reason, type State } from './result.ts';

/** Each reason has one state. */
export const STATE_OF_REASON: Readonly<Record<Reason, State>> = {
  accepted_email: 'deliverable',
  invalid_email: 'undeliverable',
  invalid_domain: 'undeliverable',
  rejected_email: 'undeliverable',
  invalid_smtp: 'undeliverable',
  low_quality: 'risky',
  low_deliverability: 'risky',
  no_connect: 'unknown',
  timeout: 'unknown',
  unavailable_smtp: 'unknown',
  unexpected_error: 'unknown',
};

/** The reasons of a state. */
export const reasonsIn = (state: State): readonly Reason[] =>
  REASONS.filter((reason) => STATE_OF_REASON[reason] === state);
