/** A payment as the payment commands print it. */
import type { ListedPayment } from '../../../service/credits/billing/payment-store.ts';
import { timeJson } from '../batch/batch-json.ts';

export const paymentJson = ({
  id,
  account,
  owner_email,
  needed,
  asked_at,
  tries,
  outcome,
  credits,
  ended_at,
}: ListedPayment) => ({
  ...{ id, account, owner_email, needed, asked_at: timeJson(asked_at), tries },
  ...{ outcome, credits, ended_at: timeJson(ended_at) },
});
