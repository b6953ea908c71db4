/** `payment …`: the payments for which the service has asked billing. */
import { quote, UsageError } from '../../service/core/usage-error.ts';
import {
  findPayment,
  type ListedPayment,
  listPayments,
} from '../../service/credits/billing/payment-store.ts';
import { type Command, defineCommand } from '../command.ts';
import { required, text } from '../flags.ts';
import { listFlags, selectionOf } from './owner-flag.ts';
import { timeJson } from './time-json.ts';

function paymentJson(payment: ListedPayment) {
  const { id, account, owner_email, needed, asked_at, tries, outcome, credits, ended_at } = payment;
  return {
    ...{ id, account, owner_email, needed, asked_at: timeJson(asked_at), tries },
    ...{ outcome, credits, ended_at: timeJson(ended_at) },
  };
}

export const PAYMENT: readonly Command[] = [
  defineCommand({
    words: ['payment', 'list'],
    description:
      'Lists the payments for which the service has asked billing, the newest first. An open one has no outcome.',
    flags: listFlags('payments', 'Only those that billing has neither made nor refused yet.'),
    example: 'payment list --open',
    run: async ({ db }, wish) => (await listPayments(db, await selectionOf(db, wish))).map(paymentJson),
  }),
  defineCommand({
    words: ['payment', 'show'],
    description: 'Shows a payment. Billing knows it by its id after msg_, in the header webhook-id.',
    flags: { id: required(text('ID', 'The id that payment list prints, also with msg_ before it.')) },
    example: 'payment show --id 5f0c6a3e-9d4b-4c1f-8b7a-2e1d0c9b8a7f',
    async run({ db }, { id }) {
      const payment = await findPayment(db, id.replace(/^msg_/, ''));
      if (payment) return paymentJson(payment);
      throw new UsageError(
        `Expected --id to be the id of a payment, got ${quote(id)}. Run payment list to see the latest.`,
      );
    },
  }),
];
