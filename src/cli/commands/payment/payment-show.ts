/** `payment show`: one payment. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { findPayment } from '../../../service/credits/billing/payment-store.ts';
import { defineCommand } from '../../command.ts';
import { required, text } from '../../flags.ts';
import { paymentJson } from './payment-json.ts';

export const paymentShow = defineCommand({
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
});
