/** A small table of commands for the tests of the parser and the help text. */
import { type Command, defineCommand } from '../../src/cli/command.ts';
import { address, repeatable, required, text, toggle, wholeNumber } from '../../src/cli/flags.ts';
import { secretFile } from '../../src/cli/secret-file.ts';
import { UsageError } from '../../src/service/core/usage-error.ts';

const OWNER = required(address('The owner.'));

export const SAMPLE: readonly Command[] = [
  defineCommand({
    words: ['shop', 'open'],
    description: 'Opens a shop.',
    flags: {
      email: OWNER,
      amount: wholeNumber({ from: -10, to: 10 }, 'How many.'),
      name: text('NAME', 'What it is called.'),
      item: repeatable(text('ITEM', 'What it sells.')),
      'password-file': secretFile({ minimum: 8, maximum: 20 }, 'The password.'),
      now: toggle('At once.'),
    },
    example: 'shop open --email ada@example.com',
    check({ amount, now }) {
      if (amount === 0 && now) throw new UsageError('Expected --amount other than 0 with --now.');
    },
    run: async () => null,
  }),
  defineCommand({
    words: ['shop', 'close'],
    description: 'Closes a shop.',
    flags: { email: OWNER, yes: required(toggle('Confirms it.')) },
    example: 'shop close --email ada@example.com --yes',
    run: async () => null,
  }),
  defineCommand({
    words: ['weather'],
    description: 'Says how the weather is.',
    flags: {},
    example: 'weather',
    run: async () => null,
  }),
];
