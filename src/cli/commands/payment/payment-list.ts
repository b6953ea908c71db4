/** `payment list`: the latest payments, of all accounts or of one. */
import { listPayments } from '../../../service/credits/billing/payment-store.ts';
import { defineCommand } from '../../command.ts';
import { listFlags, selectionOf } from '../owner-flag.ts';
import { paymentJson } from './payment-json.ts';

export const paymentList = defineCommand({
  words: ['payment', 'list'],
  description:
    'Lists the payments for which the service has asked billing, the newest first. An open one has no outcome.',
  flags: listFlags('payments', 'Only those that billing has neither made nor refused yet.'),
  example: 'payment list --open',
  run: async ({ db }, wish) => (await listPayments(db, await selectionOf(db, wish))).map(paymentJson),
});
