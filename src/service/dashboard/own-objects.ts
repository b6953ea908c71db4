/** What members may change: what they have made themselves. Owners and admins may change what others have made, too. */
import type { OwnKey } from '../keys/manage/manage-keys-store.ts';
import type { Right } from '../people/members/roles.ts';
import type { Visit } from './visit.ts';

/** The id of the person who has made it. Null for what a program or an operator has made. */
interface Made {
  readonly made_by: string | null;
}

/** A batch or a list. @returns undefined if the person may change it, otherwise the right that is missing */
export function rightToChangeBatch(visit: Visit, { made_by }: Made): Right | undefined {
  if (visit.may('manageBatches')) return undefined;
  if (!visit.may('verify')) return 'verify';
  return made_by === visit.person.id ? undefined : 'manageBatches';
}

/** @returns undefined if the person may change it, otherwise the right that is missing */
export function rightToChangeKey(
  visit: Pick<Visit, 'may' | 'person'>,
  { mode, made_by }: Pick<OwnKey, 'mode' | 'made_by'>,
): Right | undefined {
  if (visit.may('manageKeys')) return undefined;
  if (!visit.may('makeTestKeys')) return 'makeTestKeys';
  return mode === 'test' && made_by === visit.person.id ? undefined : 'manageKeys';
}
