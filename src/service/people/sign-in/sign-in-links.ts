/**
 * Links that let a person in once, without a password and without a second factor. Only the operator makes them, for
 * people who have lost both, and for the time when the provider of single sign-on is away (break-glass).
 */
import { digestOf } from '../../../shared/sha256.ts';
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction, tryInTransaction } from '../../database/transaction.ts';
import { recordAboutPerson } from '../members/record-about-person.ts';
import { findPersonById, type Person, type Someone } from '../persons/person-store.ts';
import { isValue, makeValue } from '../sessions/cookie-value.ts';
import { findPersonOfLink, putSignInLink, spendSignInLink } from './sign-in-link-store.ts';

/** Long enough to pass the link on, and too short to find it later in a chat or a mailbox. */
const SECONDS = 600;

/** The page that a link opens. */
export const SIGN_IN_LINK = '/login/link';

export interface SignInLink {
  /** The path of the link. Its secret is shown now and never again. */
  readonly path: string;
  readonly endsAt: Date;
}

/** Makes a link. An earlier one of the person ends. */
export async function makeSignInLink(db: Db, person: Someone, actor: Actor): Promise<SignInLink> {
  const token = makeValue();
  return inTransaction(db, async (transaction) => {
    await recordAboutPerson(transaction, { person, actor, action: 'person.link' });
    const endsAt = await putSignInLink(transaction, person.id, digestOf(token), SECONDS);
    return { path: `${SIGN_IN_LINK}/${token}`, endsAt };
  });
}

/** The person whom a link lets in. It changes nothing: programs open links to show a preview of them. */
export async function readSignInLink(db: Db, token: string): Promise<Person | undefined> {
  if (!isValue(token)) return undefined;
  const id = await findPersonOfLink(db, digestOf(token));
  return id === undefined ? undefined : findPersonById(db, id);
}

/** Uses a link up. @returns the person, or undefined for a link that is wrong, used or over */
export async function spendLink(db: Db, token: string): Promise<Person | undefined> {
  const person = await readSignInLink(db, token);
  if (!person) return undefined;
  return tryInTransaction<Person | undefined>(db, async (transaction, rollBack) => {
    // Accounts are locked first.
    await recordAboutPerson(transaction, { person, action: 'person.link-used' });
    const spent = await spendSignInLink(transaction, digestOf(token));
    // Another request has used the link meanwhile.
    return spent === person.id ? person : rollBack(undefined);
  });
}
