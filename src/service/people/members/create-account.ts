/** Creates accounts, each with the person who owns it. */
import { changeCredits } from '../../credits/credit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type AccountSummary, findAccountByEmail, insertAccount } from '../accounts/account-store.ts';
import { createPerson, deletePerson, findPersonByEmail, type Person } from '../persons/person-store.ts';
import { setMember } from './member-store.ts';

export interface NewAccount {
  /** The address of the account, and of its owner. */
  readonly email: string;
  /**
   * The result of `hashPassword`, for a new person. Undefined to take the person who has this address, whose password
   * stays.
   */
  readonly passwordHash: string | undefined;
  /** Recorded as a top-up if above 0. */
  readonly credits?: number;
}

/** Why there is no account: the address has one, or a person that was not expected, or no person. */
export type NotCreated = 'exists' | 'person-exists' | 'no-person';

/**
 * Creates an account, its owner and the owner's membership. It never changes a person who exists: whoever made an account
 * for another person's address would have that person's password.
 */
export async function createAccount(db: Db, account: NewAccount): Promise<AccountSummary | NotCreated> {
  const { email, passwordHash, credits = 0 } = account;
  return inTransaction(db, async (transaction) => {
    if (await findAccountByEmail(transaction, email)) return 'exists';
    const owner = await ownerOf(transaction, account);
    if (typeof owner === 'string') {
      // Another process may have made both meanwhile.
      return (await findAccountByEmail(transaction, email)) ? 'exists' : owner;
    }
    const made = await insertAccount(transaction, email);
    if (made === 'exists') {
      // It was made meanwhile. The transaction may be the caller's, so it cannot be rolled back here.
      if (passwordHash !== undefined) await deletePerson(transaction, owner.id);
      return made;
    }
    await setMember(transaction, made.id, owner.id, 'owner');
    if (credits > 0) await changeCredits(transaction, made.id, { amount: credits, why: 'top-up' });
    return { ...made, available_credits: credits };
  });
}

async function ownerOf(db: Db, { email, passwordHash }: NewAccount): Promise<Person | NotCreated> {
  if (passwordHash === undefined) return (await findPersonByEmail(db, email)) ?? 'no-person';
  const made = await createPerson(db, { email, passwordHash });
  return made === 'exists' ? 'person-exists' : made;
}
