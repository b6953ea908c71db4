/** What a person is told at the next sign-in: what has changed of their ways in and accounts, and who did it. */
import type { Actor } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { insertPersonEvent } from './person-event-store.ts';

/** Each event as a sentence. `@` stands for the subject of the event, such as the address of an account. */
export const PERSON_EVENTS = {
  'password.changed': 'The password was changed.',
  'email.changed': 'The address was changed from @.',
  'app.added': 'An authenticator app was set up.',
  'app.removed': 'The authenticator app was removed.',
  'passkey.added': 'The passkey “@” was added.',
  'passkey.removed': 'The passkey “@” was removed.',
  'codes.made': 'New recovery codes were made.',
  'code.used': 'A recovery code was used.',
  'factors.reset':
    'The second factor was reset: the authenticator app, passkeys and recovery codes are gone.',
  'sessions.ended': 'Sessions were ended.',
  'provider.linked': 'Single sign-on was connected.',
  'provider.unlinked': 'Single sign-on was disconnected.',
  'link.made': 'A link was made with which one can sign in without a password.',
  'link.used': 'Somebody signed in with a link of the operator.',
  'member.joined': 'You became a member of @.',
  'member.role': 'Your role in @ was changed.',
  'member.left': 'Your membership of @ was ended.',
} as const;

export type PersonEvent = keyof typeof PERSON_EVENTS;

export interface NewPersonEvent {
  readonly personId: string;
  readonly event: PersonEvent;
  /** Who did it. */
  readonly by: Actor;
  /** What it is about, such as the address of an account. */
  readonly subject?: string | undefined;
}

/**
 * Call it in the transaction of the change, so that both happen or neither. The person sees it from the next sign-in on:
 * in the sessions that begin after it, until they dismiss it.
 */
export async function recordPersonEvent(
  db: Db,
  { personId, event, by, subject }: NewPersonEvent,
): Promise<void> {
  await insertPersonEvent(db, {
    ...{ personId, event, subject: subject ?? null },
    ...{ actorKind: by.kind, actorName: 'name' in by ? by.name : null },
  });
}
