/** Changes the address that a person signs in with. The addresses of the person's accounts stay. */
import type { Db } from '../../database/schema.ts';
import { tryInTransaction } from '../../database/transaction.ts';
import { emailKey } from '../accounts/account-store.ts';
import { type Someone, setAddress } from '../persons/person-store.ts';
import { countGuesses, type GuessRule, takeBack } from '../sign-in/guesses.ts';
import { recordAboutPerson } from './record-about-person.ts';

/** A refusal says that another person has the address, so whoever asks about many of them waits. */
const ADDRESSES: GuessRule = { free: 5, firstPause: 60, longestPause: 3_600 };

/** `taken`: another person has it. */
export type AddressChanged =
  | { readonly kind: 'changed' | 'same' | 'taken' }
  | { readonly kind: 'paused'; readonly seconds: number };

export async function changeAddress(db: Db, person: Someone, address: string): Promise<AddressChanged> {
  if (address === person.email) return { kind: 'same' };
  const tries = { name: `address of person: ${person.id}`, rule: ADDRESSES } as const;
  const seconds = await countGuesses(db, [tries]);
  if (seconds > 0) return { kind: 'paused', seconds };
  const isChanged = await tryInTransaction(db, async (transaction, rollBack) => {
    await recordAboutPerson(transaction, {
      ...{ person, action: 'person.address', details: { from: person.email, to: address } },
    });
    return (await setAddress(transaction, person.id, address)) || rollBack(false);
  });
  if (!isChanged) return { kind: 'taken' };
  if (emailKey(address) === emailKey(person.email)) await takeBack(db, tries);
  return { kind: 'changed' };
}
