/** Who must have a second factor, as `signIn.secondFactor` of the config says. */
import type { Deps } from '../../deps/deps.ts';
import { mustHaveFactor, type Obliged } from './factor-store.ts';

/** Whether the person must not remove the last second factor. */
export async function mustKeepFactor(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  personId: string,
): Promise<boolean> {
  const who = obligedBy(settings);
  return who !== undefined && mustHaveFactor(db, personId, who);
}

/** Undefined if nobody must have one. */
export const obligedBy = ({ signIn: { secondFactor } }: Deps['settings']): Obliged | undefined =>
  (({ optional: undefined, required: 'everybody', 'required-for-admins': 'admins' }) as const)[secondFactor];
