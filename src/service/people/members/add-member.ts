/** Makes a person a member without an invitation, as the operator does. */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { createPerson, findPersonByEmail, holdPerson } from '../persons/person-store.ts';
import { lockMembers, roleOf, setMember } from './member-store.ts';
import type { Role } from './roles.ts';
import { tellMember } from './tell-member.ts';

export interface Addition {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  /** The result of `hashPassword`, for a person who does not exist. Undefined to make none. */
  readonly passwordHash?: string | undefined;
  readonly actor: Actor;
}

export type Added =
  | { readonly kind: 'added'; readonly personId: string; readonly email: string; readonly isNew: boolean }
  | { readonly kind: 'member' }
  | { readonly kind: 'no person' }
  | { readonly kind: 'no account' };

/** A person who exists keeps the password. */
export async function addMember(db: Db, addition: Addition): Promise<Added> {
  const { accountId, email, role, passwordHash, actor } = addition;
  return inTransaction(db, async (transaction) => {
    if (!(await lockMembers(transaction, accountId))) return { kind: 'no account' };
    const found = await findPersonByEmail(transaction, email);
    const made =
      found || passwordHash === undefined
        ? undefined
        : await createPerson(transaction, { email, passwordHash });
    // It may have been made meanwhile.
    const person = found ?? (made === 'exists' ? await findPersonByEmail(transaction, email) : made);
    if (!person || !(await holdPerson(transaction, person.id))) return { kind: 'no person' };
    if ((await roleOf(transaction, accountId, person.id)) !== undefined) return { kind: 'member' };
    await setMember(transaction, accountId, person.id, role);
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'member.add', details: { role } },
      subject: { id: person.id, name: person.email },
    });
    await tellMember(transaction, { accountId, personId: person.id, event: 'member.joined', by: actor });
    return { kind: 'added', personId: person.id, email: person.email, isNew: typeof made === 'object' };
  });
}
