/** `audit-books`: compares the figures of the books that should be equal. */
import { auditBooks, sayDifference } from '../../../service/books/audit-books.ts';
import type { Difference } from '../../../service/database/schema.ts';
import { defineCommand, type Json } from '../../command.ts';
import { toggle } from '../../flags.ts';

export const auditBooksCommand = defineCommand({
  words: ['audit-books'],
  description:
    'Compares balances with the ledger, counts with results, refunds with charges, and callbacks with batches, while the service works. Prints each difference: an empty list and exit code 0 if the books are right, otherwise exit code 1.',
  flags: { text: toggle('Prints each difference in a line of text, and nothing if there is none.') },
  example: 'audit-books',
  async run({ db }) {
    return (await auditBooks(db)).map((difference) => ({ ...difference }));
  },
  fails: (differences) => differencesOf(differences).length > 0,
  toText: (differences, { text = false }) =>
    text
      ? differencesOf(differences)
          .map((each) => `${sayDifference(each)}\n`)
          .join('')
      : undefined,
});

const differencesOf = (result: Json) => result as unknown as readonly Difference[];
