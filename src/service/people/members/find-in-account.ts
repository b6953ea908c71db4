/** Finds a member and an invitation of an account by an address, for people who ask what the account has about it. */
import type { Db } from '../../database/schema.ts';
import { emailKey } from '../accounts/account-store.ts';
import { listInvitations, type OpenInvitation } from './invitation-store.ts';
import { type ListedMember, listMembers } from './member-store.ts';

export interface FoundPeople {
  readonly member: ListedMember | undefined;
  readonly invitation: OpenInvitation | undefined;
}

export async function findInAccount(db: Db, accountId: string, address: string): Promise<FoundPeople> {
  const key = emailKey(address);
  const isIt = ({ email }: { readonly email: string }) => emailKey(email) === key;
  const [members, invited] = await Promise.all([listMembers(db, accountId), listInvitations(db, accountId)]);
  return { member: members.find(isIt), invitation: invited.find(isIt) };
}
