/** Ends all sessions of a person, and forgets the browsers that they have signed in in. */
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Someone } from '../persons/person-store.ts';
import { forgetBrowsersOf } from '../sessions/known-browser-store.ts';
import { countSessions, endSessionsOf } from '../sessions/session-store.ts';
import { recordAboutPerson } from './record-about-person.ts';

/** @returns how many sessions there were */
export function signOutEverywhere(db: Db, person: Someone, actor: Actor): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const ended = await countSessions(transaction, person.id);
    await recordAboutPerson(transaction, { person, actor, action: 'person.sessions', details: { ended } });
    await endSessionsOf(transaction, person.id);
    await forgetBrowsersOf(transaction, person.id);
    return ended;
  });
}
