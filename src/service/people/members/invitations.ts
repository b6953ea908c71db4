/**
 * Invites people into an account by a link. There is no mail server, so the person who invites passes the link on.
 *
 * Whoever has the link and signs in with its address becomes a member. The link alone tells nothing about that address:
 * neither the page nor its time depends on whether a person has it. Only who types a password learns that, and such a try
 * counts as a guess, or uses the invitation up.
 */
import { digestOf } from '../../../shared/sha256.ts';
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import { makeId } from '../../core/random-id.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction, tryInTransaction } from '../../database/transaction.ts';
import type { Deps } from '../../deps/deps.ts';
import { emailKey } from '../accounts/account-store.ts';
import { createPerson, findPersonByEmail, holdPerson, type Person } from '../persons/person-store.ts';
import { isValue, makeValue } from '../sessions/cookie-value.ts';
import {
  countInvitations,
  deleteInvitation,
  type FoundInvitation,
  findInvitation,
  findInvited,
  findRoleInvited,
  putInvitation,
} from './invitation-store.ts';
import { lockMembers, roleOf, setMember } from './member-store.ts';
import { type Role, rightOver, rolesWith } from './roles.ts';
import { tellMember } from './tell-member.ts';

/** The page that a link opens. */
export const INVITATION = '/invitation';

/** Stops accidents, such as a program that sends the form in a loop. */
export const MOST_INVITATIONS = 100;

const ID = /^inv_[0-9a-f]{24}$/;
export const makeInvitationId = (): string => `inv_${makeId()}`;
export const isInvitationId = (text: string): boolean => ID.test(text);

/** Who changes members, and as whom the audit log names them. */
export interface Manager {
  readonly accountId: string;
  readonly personId: string;
  readonly actor: Actor;
}

export interface Invitation {
  /** From the form. One that is sent twice makes one invitation. */
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

export type Invited =
  /** The secret of the link, which is shown now and never again. */
  | { readonly kind: 'invited'; readonly token: string }
  /** `before`: the same form was sent before. */
  | { readonly kind: 'before' | 'member' | 'too many' | 'not allowed' };

/** Makes an invitation. An earlier one for the same address ends, if its role is one that the person may give. */
export async function invite(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { accountId, personId, actor }: Manager,
  { id: wanted, email, role }: Invitation,
): Promise<Invited> {
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction, accountId);
    if (!(await mayManage(transaction, accountId, personId, role))) return { kind: 'not allowed' };
    const before = await findInvited(transaction, accountId, wanted);
    if (before && emailKey(before.email) === emailKey(email)) return { kind: 'before' };
    const former = await findRoleInvited(transaction, accountId, email);
    if (former && !(await mayManage(transaction, accountId, personId, former)))
      return { kind: 'not allowed' };
    const person = await findPersonByEmail(transaction, email);
    if (person && (await roleOf(transaction, accountId, person.id))) return { kind: 'member' };
    if ((await countInvitations(transaction, accountId)) >= MOST_INVITATIONS) return { kind: 'too many' };
    const token = makeValue();
    const seconds = settings.durations.invitation;
    const row = { accountId, email, role, digest: digestOf(token), inviterId: personId, seconds };
    // The form may have been sent before, for another address.
    let id = before ? makeInvitationId() : wanted;
    while (!(await putInvitation(transaction, { ...row, id }))) id = makeInvitationId();
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'member.invite', details: { role } },
      subject: { id, name: email },
    });
    return { kind: 'invited', token };
  });
}

/** The request's own check came before the lock: the person may have another role by now. */
async function mayManage(db: Db, accountId: string, personId: string, role: Role): Promise<boolean> {
  const own = await roleOf(db, accountId, personId);
  return own !== undefined && rolesWith(rightOver(role)).includes(own);
}

/** Ends an open invitation. */
export async function withdraw(
  db: Db,
  { accountId, personId, actor }: Manager,
  id: string,
): Promise<'withdrawn' | 'gone' | 'not allowed'> {
  return inTransaction(db, async (transaction) => {
    await lockMembers(transaction, accountId);
    const found = await findInvited(transaction, accountId, id);
    if (!found) return 'gone';
    const { email, role } = found;
    if (!(await mayManage(transaction, accountId, personId, role))) return 'not allowed';
    await deleteInvitation(transaction, id);
    await recordAuditEvent(transaction, {
      ...{ accountId, actor, action: 'member.withdraw', details: { role } },
      subject: { id, name: email },
    });
    return 'withdrawn';
  });
}

/** Finds the invitation of a link. One that is wrong, used, ended or withdrawn is not found. */
export async function readInvitation(db: Db, token: string): Promise<FoundInvitation | undefined> {
  return isValue(token) ? findInvitation(db, digestOf(token)) : undefined;
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly accountId: string }
  | { readonly kind: 'gone' }
  /** The invitation is for another address. */
  | { readonly kind: 'other person' };

/**
 * Makes a person a member, and uses the invitation up. A second request of the same form finds the member, and changes
 * nothing. Someone who is a member already keeps the role.
 */
export async function acceptInvitation(
  db: Db,
  token: string,
  person: Pick<Person, 'id' | 'email'>,
): Promise<Accepted> {
  const found = await readInvitation(db, token);
  if (!found) return { kind: 'gone' };
  if (emailKey(found.email) !== emailKey(person.email)) return { kind: 'other person' };
  return inTransaction(db, (transaction) => join(transaction, token, found, person));
}

async function join(
  transaction: Db,
  token: string,
  { accountId }: FoundInvitation,
  person: Pick<Person, 'id' | 'email'>,
): Promise<Accepted> {
  await lockMembers(transaction, accountId);
  const isMember = (await roleOf(transaction, accountId, person.id)) !== undefined;
  // It may have ended while this request waited for another one.
  const found = await readInvitation(transaction, token);
  if (!found) return isMember ? { kind: 'accepted', accountId } : { kind: 'gone' };
  const { id, role, inviter } = found;
  // The person of a session may have been deleted meanwhile.
  if (!(await holdPerson(transaction, person.id))) return { kind: 'gone' };
  await deleteInvitation(transaction, id);
  if (isMember) return { kind: 'accepted', accountId };
  await setMember(transaction, accountId, person.id, role);
  const actor = { kind: 'owner', name: person.email } as const;
  await tellMember(transaction, { accountId, personId: person.id, event: 'member.joined', by: actor });
  await recordAuditEvent(transaction, {
    ...{ accountId, actor, action: 'member.join', details: { role, invited_by: inviter } },
    subject: { id: person.id, name: person.email },
  });
  return { kind: 'accepted', accountId };
}

/**
 * Makes a person with a password, who accepts the invitation: both or neither.
 *
 * @param passwordHash the result of `hashPassword` @returns `exists` if a person has the address: that person must sign
 * in. Otherwise, a link would give away what others have
 */
export async function acceptAsNewPerson(
  db: Db,
  token: string,
  passwordHash: string,
): Promise<Person | 'exists' | 'gone'> {
  const found = await readInvitation(db, token);
  if (!found) return 'gone';
  return tryInTransaction<Person | 'exists' | 'gone'>(db, async (transaction, rollBack) => {
    // Before the person, because others wait for the account meanwhile, not for the address.
    await lockMembers(transaction, found.accountId);
    const person = await createPerson(transaction, { email: found.email, passwordHash });
    if (person === 'exists') return person;
    const { kind } = await join(transaction, token, found, person);
    return kind === 'accepted' ? person : rollBack('gone');
  });
}
