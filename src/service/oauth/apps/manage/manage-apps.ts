/**
 * Creates, changes and deletes apps, for their owner and for the operator. Each change and its row of the audit log
 * share a transaction. The order of locks is: the account, the app, its redirect URIs and codes.
 */
import { digestOf } from '../../../../shared/sha256.ts';
import { type Actor, type AuditEvent, recordAuditEvent } from '../../../audit/audit-store.ts';
import type { Db } from '../../../database/schema.ts';
import { inTransaction } from '../../../database/transaction.ts';
import { holdAccount } from '../../../people/accounts/account-store.ts';
import { makeSecret } from '../../tokens/token-secrets.ts';
import { forgetTokensOfApp } from '../../tokens/token-store.ts';
import { type App, deleteApp } from '../app-store.ts';
import { type AppWish, createApp, type MadeApp } from '../create-app.ts';
import {
  type AppSettings,
  endFormerSecret,
  lockApp,
  type Named,
  replaceSecret,
  updateApp,
} from './manage-apps-store.ts';

/** @returns 'exists' if an app already has this client id */
export async function makeApp(db: Db, actor: Actor, wish: AppWish): Promise<MadeApp | 'exists'> {
  return inTransaction(db, async (transaction) => {
    await holdAccount(transaction, wish.accountId);
    const made = await createApp(transaction, wish);
    if (made === 'exists') return made;
    const { accountId, name, allowsDevice: device, isPublic } = wish;
    const app = { account_id: accountId, client_id: made.clientId, name };
    const redirect_uris = [...new Set(wish.redirectUris)].join(' ');
    await record(transaction, actor, app, 'app.create', { redirect_uris, device, public: isPublic });
    return made;
  });
}

/** `conflict`: the app has changed since its owner opened it, so this change was not made. */
export type Changed = 'changed' | 'unchanged' | 'conflict' | 'no such app';

/** @param decide gets the locked app, and returns its new settings */
export async function changeApp(
  db: Db,
  actor: Actor,
  named: Named,
  decide: (app: App) => AppSettings | 'conflict',
): Promise<Changed> {
  return inTransaction(db, async (transaction) => {
    const app = await lockApp(transaction, named);
    if (!app) return 'no such app';
    const settings = decide(app);
    if (settings === 'conflict') return settings;
    const details = describeChanges(app, settings);
    if (Object.keys(details).length === 0) return 'unchanged';
    await updateApp(transaction, app.client_id, settings);
    await record(transaction, actor, { ...app, name: settings.name }, 'app.change', details);
    return 'changed';
  });
}

export interface Roll {
  /** How long the old secret still works. */
  readonly overlapSeconds: number;
  /** The `secretVersion` of the secret to replace. If the app has another secret by now, the roll does not happen. */
  readonly version: string;
}

/** Identifies a secret without revealing it. */
export const secretVersion = (secret: Buffer): string =>
  digestOf(secret.toString('hex')).toString('hex').slice(0, 16);

/** Gives an app a new secret. @returns the secret, or undefined if the app does not exist or has no secret */
export async function rollSecret(
  db: Db,
  actor: Actor,
  named: Named,
  { overlapSeconds, version }: Roll,
): Promise<{ readonly secret: string } | 'rolled before' | undefined> {
  return inTransaction(db, async (transaction) => {
    const app = await lockApp(transaction, named);
    if (!app?.secret) return undefined;
    if (secretVersion(app.secret) !== version) return 'rolled before';
    const secret = makeSecret();
    await replaceSecret(transaction, app.client_id, digestOf(secret), overlapSeconds);
    await record(transaction, actor, app, 'app.roll-secret', { overlap_seconds: overlapSeconds });
    return { secret };
  });
}

/** Ends the old secret at once. @returns whether it still worked */
export async function endSecretOverlap(db: Db, actor: Actor, named: Named): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const app = await lockApp(transaction, named);
    if (!app || !(await endFormerSecret(transaction, app.client_id))) return false;
    await record(transaction, actor, app, 'app.change', { former_secret_ended: true });
    return true;
  });
}

/** Deletes an app with all its codes and tokens. @returns whether the app existed */
export async function removeApp(db: Db, actor: Actor, named: Named): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const app = await lockApp(transaction, named);
    if (!app) return false;
    await record(transaction, actor, app, 'app.delete', {});
    // It may have very many, so they do not go with it in one statement. It is locked, so there are no new ones.
    while (await forgetTokensOfApp(transaction, app.client_id));
    return deleteApp(transaction, app.client_id);
  });
}

function describeChanges(before: App, after: AppSettings): NonNullable<AuditEvent['details']> {
  const added = after.redirectUris.filter((uri) => !before.redirect_uris.includes(uri));
  const removed = before.redirect_uris.filter((uri) => !after.redirectUris.includes(uri));
  return {
    ...(before.name !== after.name && { name: after.name, former_name: before.name }),
    ...(added.length > 0 && { redirect_uris_added: added.join(' ') }),
    ...(removed.length > 0 && { redirect_uris_removed: removed.join(' ') }),
    ...(before.allows_device !== after.allowsDevice && { device: after.allowsDevice }),
  };
}

const record = (
  db: Db,
  actor: Actor,
  { account_id: accountId, client_id: id, name }: Pick<App, 'account_id' | 'client_id' | 'name'>,
  action: AuditEvent['action'],
  details: NonNullable<AuditEvent['details']>,
): Promise<void> => recordAuditEvent(db, { accountId, actor, action, subject: { id, name }, details });
