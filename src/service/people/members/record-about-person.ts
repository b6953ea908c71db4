/**
 * Writes what concerns a person, and no account, into the audit logs of all accounts of the person, and for the person's
 * next sign-in.
 */
import { type Actor, type AuditAction, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { holdAccount } from '../accounts/account-store.ts';
import { recordPersonEvent, type PersonEvent as Told } from '../persons/person-events.ts';
import type { Someone } from '../persons/person-store.ts';
import { membershipsOf } from './member-store.ts';

/** What the person is told of each. Second factors tell it themselves. */
const TOLD: Partial<Record<AuditAction, Told>> = {
  'person.address': 'email.changed',
  'person.sessions': 'sessions.ended',
  'person.link': 'link.made',
  'person.link-used': 'link.used',
  'person.connect': 'provider.linked',
  'person.unlink': 'provider.unlinked',
};

export interface EventAboutPerson {
  readonly person: Someone;
  /** @default the person */
  readonly actor?: Actor;
  readonly action: Extract<AuditAction, `person.${string}`>;
  readonly details?: Readonly<Record<string, string | number>>;
}

/** Call it in the transaction of the action, before the person is locked or deleted: accounts are locked first, by id. */
export async function recordAboutPerson(
  db: Db,
  { person, actor = { kind: 'owner', name: person.email }, action, details }: EventAboutPerson,
): Promise<void> {
  const memberships = await membershipsOf(db, person.id);
  const accountIds = memberships.map(({ accountId }) => accountId).sort();
  for (const accountId of accountIds) {
    if ((await holdAccount(db, accountId)) === undefined) continue;
    await recordAuditEvent(db, {
      ...{ accountId, actor, action, subject: { id: person.id, name: person.email } },
      ...(details && { details }),
    });
  }
  const subject = action === 'person.address' ? person.email : undefined;
  const event = TOLD[action];
  if (event) await recordPersonEvent(db, { personId: person.id, event, by: actor, subject });
}
