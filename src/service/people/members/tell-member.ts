/** Tells a person at the next sign-in what has changed of a membership. */
import type { Db } from '../../database/schema.ts';
import { holdAccount } from '../accounts/account-store.ts';
import { type NewPersonEvent, recordPersonEvent } from '../persons/person-events.ts';

export interface MemberEvent extends Pick<NewPersonEvent, 'personId' | 'by'> {
  readonly accountId: string;
  readonly event: 'member.joined' | 'member.role' | 'member.left';
}

/** Call it in the transaction of the change. */
export async function tellMember(db: Db, { accountId, ...event }: MemberEvent): Promise<void> {
  await recordPersonEvent(db, { ...event, subject: await holdAccount(db, accountId) });
}
