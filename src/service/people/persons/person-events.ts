/** What a person is told at the next sign-in: what has changed of their ways in and accounts, and who did it. */
import type { Actor, AuditAction } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { insertPersonEvent } from './person-event-store.ts';

/** What is written into the audit log of a person's accounts, too. */
type AboutPerson = Extract<AuditAction, `person.${string}`>;

const ABOUT_PERSON: Readonly<Record<AboutPerson, string>> = {
  'person.app-add': 'An authenticator app was set up.',
  'person.app-remove': 'The authenticator app was removed.',
  'person.passkey-add': 'The passkey “@” was added.',
  'person.passkey-rename': 'A passkey got the name “@”.',
  'person.passkey-remove': 'The passkey “@” was removed.',
  'person.recovery-codes': 'New recovery codes were made.',
  'person.recovery-code': 'A recovery code was used.',
  'person.second-factor': 'All second factors were removed.',
  'person.address': 'The address was changed from @.',
  'person.sessions': 'All sessions were ended.',
  'person.link': 'A link was made that signs you in without a password.',
  'person.link-used': 'Somebody signed in with a link of the operator.',
};

/** Each event as a sentence. `@` stands for the subject of the event, such as the address of an account. */
export const PERSON_EVENTS = {
  ...ABOUT_PERSON,
  'settings.password': 'The password was changed.',
  'settings.sessions': 'Sessions were ended.',
  'member.add': 'You became a member of @.',
  'member.role': 'Your role in @ was changed.',
  'member.end': 'Your membership of @ was ended.',
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
