/** Creates an app. */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { makeSecret } from '../tokens/token-secrets.ts';
import { insertApp } from './app-store.ts';
import type { AppSettings } from './manage/manage-apps-store.ts';

export interface AppWish extends AppSettings {
  readonly accountId: string;
  /** Whether the app runs where its users could read a secret. It then gets no secret. */
  readonly isPublic: boolean;
  /** @default a new one */
  readonly clientId: string | undefined;
}

/** The new app. Its secret can be shown only now. */
export interface MadeApp {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

/** @returns 'exists' if an app already has this client id */
export async function createApp(db: Db, wish: AppWish): Promise<MadeApp | 'exists'> {
  const clientId = wish.clientId ?? randomBytes(16).toString('hex');
  const clientSecret = wish.isPublic ? undefined : makeSecret();
  const made = await insertApp(db, {
    client_id: clientId,
    account_id: wish.accountId,
    name: wish.name,
    secret: clientSecret === undefined ? null : digestOf(clientSecret),
    allows_device: wish.allowsDevice,
    redirect_uris: wish.redirectUris,
  });
  return made === 'exists' ? 'exists' : { clientId, clientSecret };
}
