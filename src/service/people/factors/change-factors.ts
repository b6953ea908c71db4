/**
 * Changes the second factors of a person: each in one transaction with its audit event. The first one comes with recovery
 * codes, and they go with the last.
 */
import type { Actor, AuditAction } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import { recordAboutPerson } from '../members/record-about-person.ts';
import { type PersonEvent, recordPersonEvent } from '../persons/person-events.ts';
import type { Someone } from '../persons/person-store.ts';
import { forgetGuesses } from '../sign-in/guesses.ts';
import { confirmSetUp, findSetUp, removeApp } from './authenticator-app-store.ts';
import { factorsOf, hasSecondFactor, removeFactors } from './factor-store.ts';
import { holdingPerson } from './hold-person.ts';
import { mustKeepFactor } from './obliged.ts';
import { listPasskeys, removePasskey, renamePasskey } from './passkey-store.ts';
import { type Added, addPasskey } from './passkeys.ts';
import { endCodes } from './recovery-code-store.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { guessesOf } from './second-factor.ts';
import { stepOfCode } from './totp.ts';

type FactorDeps = Pick<Deps, 'db' | 'settings'>;

/** What the logs of the accounts have, and what the person is told at the next sign-in. */
interface Change {
  readonly action: Extract<AuditAction, `person.${string}`>;
  readonly event: PersonEvent | undefined;
  /** @default the person */
  readonly by?: Actor;
  /** The passkey. */
  readonly name?: string;
  readonly before?: string;
}

async function record(db: Db, person: Someone, change: Change): Promise<void> {
  const { action, event, by: actor = { kind: 'owner', name: person.email }, name, before } = change;
  const details = { ...(name !== undefined && { name }), ...(before !== undefined && { before }) };
  await recordAboutPerson(db, { person, actor, action, details });
  if (event) await recordPersonEvent(db, { personId: person.id, event, by: actor, subject: name });
}

/** New codes, if the person has none. */
async function firstCodes(db: Db, personId: string): Promise<string[] | undefined> {
  const { codes } = await factorsOf(db, personId);
  return codes > 0 ? undefined : makeRecoveryCodes(db, personId);
}

/** `codes`: recovery codes that the person gets with the first factor. They are shown once. */
export interface WithCodes {
  readonly kind: 'added';
  readonly codes: string[] | undefined;
}

/** Ends the set-up of an app with its first code. `over`: it has taken too long. */
export async function confirmApp(
  { db }: FactorDeps,
  person: Someone,
  code: string,
): Promise<WithCodes | { readonly kind: 'wrong' | 'over' }> {
  return holdingPerson(db, person.id, async (transaction) => {
    const app = await findSetUp(transaction, person.id);
    if (!app) return { kind: 'over' };
    const step = stepOfCode(app.secret, code, app.seconds, null);
    if (step === undefined) return { kind: 'wrong' };
    await confirmSetUp(transaction, person.id, app.id, step);
    await record(transaction, person, { action: 'person.app-add', event: 'app.added' });
    return { kind: 'added', codes: await firstCodes(transaction, person.id) };
  });
}

/** Adds a passkey that a browser has made. */
export async function addOwnPasskey(
  deps: FactorDeps,
  person: Someone,
  made: { readonly text: string; readonly browser: string; readonly name: string },
): Promise<WithCodes | { readonly kind: Exclude<Added, 'added'> }> {
  return holdingPerson(deps.db, person.id, async (transaction) => {
    const kind = await addPasskey({ ...deps, db: transaction }, person.id, made);
    if (kind !== 'added') return { kind };
    const { name } = made;
    await record(transaction, person, { action: 'person.passkey-add', event: 'passkey.added', name });
    return { kind, codes: await firstCodes(transaction, person.id) };
  });
}

export async function renameOwnPasskey(
  { db }: FactorDeps,
  person: Someone,
  id: string,
  name: string,
): Promise<boolean> {
  return holdingPerson(db, person.id, async (transaction) => {
    const before = (await listPasskeys(transaction, person.id)).find((passkey) => passkey.id === id);
    if (!before) return false;
    if (before.name === name) return true;
    await renamePasskey(transaction, person.id, id, name);
    await record(transaction, person, {
      ...{ action: 'person.passkey-rename', event: undefined, before: before.name, name },
    });
    return true;
  });
}

/** Why a factor stays. `required`: the operator requires one. `only way in`: the person could not sign in any more. */
export type Removal = 'removed' | 'unknown' | 'required' | 'only way in';

export async function removeOwnApp(deps: FactorDeps, person: Someone): Promise<Removal> {
  return holdingPerson(deps.db, person.id, async (transaction) => {
    const factors = await factorsOf(transaction, person.id);
    if (!factors.hasApp) return 'unknown';
    const isLast = factors.passkeys === 0;
    if (isLast && (await mustKeepFactor({ ...deps, db: transaction }, person.id))) return 'required';
    await removeApp(transaction, person.id);
    if (isLast) await endCodes(transaction, person.id);
    await record(transaction, person, { action: 'person.app-remove', event: 'app.removed' });
    return 'removed';
  });
}

export async function removeOwnPasskey(deps: FactorDeps, person: Someone, id: string): Promise<Removal> {
  return holdingPerson(deps.db, person.id, async (transaction) => {
    const passkeys = await listPasskeys(transaction, person.id);
    if (!passkeys.some((passkey) => passkey.id === id)) return 'unknown';
    const { hasPassword, hasProvider, hasApp } = await factorsOf(transaction, person.id);
    // A link to a provider that the config no longer has lets nobody in.
    const isByProvider = hasProvider && deps.settings.oidc !== undefined;
    if (passkeys.length === 1 && !hasPassword && !isByProvider) return 'only way in';
    const isLast = passkeys.length === 1 && !hasApp;
    if (isLast && (await mustKeepFactor({ ...deps, db: transaction }, person.id))) return 'required';
    const name = (await removePasskey(transaction, person.id, id))!;
    if (isLast) await endCodes(transaction, person.id);
    await record(transaction, person, { action: 'person.passkey-remove', event: 'passkey.removed', name });
    return 'removed';
  });
}

/** New recovery codes in place of the old ones. @returns undefined without a second factor, which they stand in for */
export async function makeOwnCodes({ db }: FactorDeps, person: Someone): Promise<string[] | undefined> {
  return holdingPerson(db, person.id, async (transaction) => {
    if (!hasSecondFactor(await factorsOf(transaction, person.id))) return undefined;
    const codes = await makeRecoveryCodes(transaction, person.id);
    await record(transaction, person, { action: 'person.recovery-codes', event: 'codes.made' });
    return codes;
  });
}

/**
 * Removes all second factors of a person who has lost them, with the pause after wrong codes. Whoever must have a factor
 * sets one up at the next sign-in.
 *
 * @returns whether there were any
 */
export async function resetSecondFactor(db: Db, person: Someone, actor: Actor): Promise<boolean> {
  return holdingPerson(db, person.id, async (transaction) => {
    await forgetGuesses(transaction, guessesOf(person.id));
    if (!(await removeFactors(transaction, person.id))) return false;
    await record(transaction, person, { action: 'person.second-factor', event: 'factors.reset', by: actor });
    return true;
  });
}
