/**
 * Finds the person whom the provider vouches for.
 *
 * Only issuer and subject name a person for good. An address can be given to somebody else at the provider, so it counts
 * once: at the first sign-in, if the provider has verified it, and if its domain is one that the provider may vouch for.
 */
import { isAddress } from '../../../engine/address/syntax.ts';
import type { GivenRole, OidcAccount, OidcSettings } from '../../config/sections/oidc-section.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { findAccountByEmail } from '../accounts/account-store.ts';
import { isInvited } from '../members/invitation-store.ts';
import { lockMembers, membershipsOf } from '../members/member-store.ts';
import { recordAboutPerson } from '../members/record-about-person.ts';
import { createPerson, findPersonByEmail, findPersonById, type Person } from '../persons/person-store.ts';
import { followGroups } from './follow-groups.ts';
import type { Vouched } from './provider-answer.ts';
import type { ProviderRefusal } from './provider-refusals.ts';
import { findIdentity, insertIdentity } from './provider-store.ts';
import { isVouchedFor } from './vouched-domain.ts';

export type Linked =
  | { readonly kind: 'person'; readonly person: Person }
  | { readonly kind: 'refused'; readonly refusal: ProviderRefusal };

class Refused extends Error {
  constructor(readonly refusal: ProviderRefusal) {
    super(refusal);
  }
}

/** Links the identity at its first sign-in, and lets the role in the account of the config follow the groups. */
export async function linkPerson(
  db: Db,
  settings: Pick<OidcSettings, 'allowedDomains' | 'account'>,
  vouched: Vouched,
): Promise<Linked> {
  try {
    return await inTransaction(db, async (transaction) => {
      const group = await groupOf(transaction, settings.account, vouched);
      const known = await findIdentity(transaction, vouched);
      if (known === undefined)
        return { kind: 'person', person: await welcome(transaction, settings, vouched, group) };
      return signInAgain(transaction, group, (await findPersonById(transaction, known))!);
    });
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

/** The account of the config, and what the groups of the person give there. */
interface Group {
  readonly accountId: string | undefined;
  readonly role: GivenRole | undefined;
}

/** @returns undefined without such an account in the config */
async function groupOf(
  db: Db,
  account: OidcAccount | undefined,
  { groups }: Vouched,
): Promise<Group | undefined> {
  if (!account) return undefined;
  const found = await findAccountByEmail(db, account.email);
  return {
    accountId: found?.id,
    // The first group of the config that the person has.
    role: account.roles.find(([group]) => groups.includes(group))?.[1],
  };
}

/** @throws {Refused} which leaves everything as it was */
async function welcome(
  db: Db,
  { allowedDomains }: Pick<OidcSettings, 'allowedDomains'>,
  vouched: Vouched,
  group: Group | undefined,
): Promise<Person> {
  const email = addressOf(vouched, allowedDomains);
  // Accounts are locked before persons.
  if (group?.accountId !== undefined) await lockMembers(db, group.accountId);
  const before = await findPersonByEmail(db, email);
  // Whoever has an invitation signs in first, and then accepts it.
  if (!before && !group && !(await isInvited(db, email))) throw new Refused('unknown');
  const made = before ?? (await createPerson(db, { email, passwordHash: null }));
  // Another request has made the person meanwhile.
  const person = made === 'exists' ? (await findPersonByEmail(db, email))! : made;
  // Whoever is new has nothing that this changes.
  if (before) await recordAboutPerson(db, { person, action: 'person.connect' });
  if (!(await insertIdentity(db, vouched, person.id))) throw new Refused('otherSubject');
  if (!group) return person;
  if (group.accountId === undefined) throw new Refused('noAccount');
  if ((await followGroups(db, group.accountId, person, group.role)) === 'none') throw new Refused('noGroup');
  return person;
}

function addressOf({ email, isVerified }: Vouched, allowedDomains: readonly string[]): string {
  if (email === undefined || !isVerified || !isAddress(email)) throw new Refused('unverified');
  if (!isVouchedFor(email, allowedDomains)) throw new Refused('domain');
  return email;
}

/** A person without a group any more stays a member of other accounts only, and without those is refused. */
async function signInAgain(db: Db, group: Group | undefined, person: Person): Promise<Linked> {
  if (group?.accountId === undefined) return { kind: 'person', person };
  const role = await followGroups(db, group.accountId, person, group.role);
  const isMember = role !== 'none' || (await membershipsOf(db, person.id)).length > 0;
  return isMember ? { kind: 'person', person } : { kind: 'refused', refusal: 'noGroup' };
}
