/**
 * Seals secrets that the service must read again, such as those that sign callbacks. A sealed secret has a column of its
 * own. Its form cannot tell it from a clear one, because the secret of a captcha may be any text.
 */
import { createHash } from 'node:crypto';
import type { KyselyPlugin, QueryExecutorProvider } from 'kysely';
import { seal, unseal } from '../core/seal.ts';

declare const STORED: unique symbol;

/** A secret as a column holds it. Only `Secrets` makes and reads one, so no store can forget to. */
export interface StoredSecret {
  readonly [STORED]: true;
}

/** The two columns of a secret. One of them is null. */
export type StoredPair = { readonly clear: StoredSecret | null; readonly sealed: StoredSecret | null };

/** The columns of secrets in clear, as `table.column`. The sealed form is in `sealed_` and the column's name. */
export const PLACES = [
  ...['accounts.callback_secret', 'accounts.former_callback_secret', 'keys.captcha_secret'],
  ...['proof_keys.private_key', 'authenticator_apps.secret'],
] as const;

/** One of these columns. */
export type Place = (typeof PLACES)[number];

/** Writes secrets into columns, and reads them. */
export interface Secrets {
  /** Names the key that seals. Undefined without a key file: secrets are then stored in clear. */
  readonly keyId: string | undefined;
  /** The names of all keys. */
  readonly keyIds: readonly string[];
  /** @param id the id of the row. Elsewhere, the sealed secret cannot be opened */
  seal(place: Place, id: string, secret: string): StoredPair;
  /** @throws {SecretError} for a sealed secret of another row, or of a key that is missing */
  open(place: Place, id: string, stored: StoredPair): string;
}

/** A sealed secret that this process cannot open. */
export class SecretError extends Error {
  constructor(
    message: string,
    readonly code: 'SECRETS_KEY_MISSING' | 'SECRET_NOT_GENUINE',
  ) {
    super(message);
  }
}

/** The size of a key in bytes. */
export const KEY_BYTES = 32;

/** The length of a key's name. It stands before the dot in a sealed secret. */
export const KEY_ID_LENGTH = 16;

/** @returns the name of a key: the beginning of its digest */
const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('email-verify secrets key\0').update(key).digest('hex').slice(0, KEY_ID_LENGTH);

/** @param keys the first one seals, and all open. None: secrets are stored in clear */
export function createSecrets(keys: readonly Buffer[]): Secrets {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [first] = keys;
  const keyId = first && keyIdOf(first);
  return {
    keyId,
    keyIds: [...byId.keys()],
    seal(place, id, secret) {
      if (!first) return { clear: secret as unknown as StoredSecret, sealed: null };
      const sealed = `${keyId}.${seal(first, secret, belonging(place, id)).toString('base64')}`;
      return { clear: null, sealed: sealed as unknown as StoredSecret };
    },
    open(place, id, { clear, sealed }) {
      if (sealed === null) return clear as unknown as string;
      const text = sealed as unknown as string;
      const name = text.slice(0, KEY_ID_LENGTH);
      const key = byId.get(name);
      if (!key)
        throw new SecretError(`Expected the key ${name} in secretsKeyFile, got none.`, 'SECRETS_KEY_MISSING');
      const secret = unseal(key, Buffer.from(text.slice(KEY_ID_LENGTH + 1), 'base64'), belonging(place, id));
      if (secret === undefined)
        throw new SecretError(
          'Expected a sealed secret of this row, got one that was moved or changed.',
          'SECRET_NOT_GENUINE',
        );
      return secret;
    },
  };
}

/** Stores secrets in clear, as without a key file. */
export const IN_CLEAR = createSecrets([]);

/** What the seal covers besides the secret, so that a secret cannot be moved to another row or column. */
const belonging = (place: Place, id: string): string => `${place}:${id}`;

/** Carries the secrets with a database. A plugin reaches all transactions and connections of it. */
class SecretsCarrier implements KyselyPlugin {
  constructor(readonly secrets: Secrets) {}
  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node;
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result;
}

/** @returns the plugins of a database whose secrets these are. None for secrets in clear, which cost nothing */
export const carrying = (secrets: Secrets): KyselyPlugin[] =>
  secrets.keyId === undefined ? [] : [new SecretsCarrier(secrets)];

/** The secrets of the database that a store gets. */
export function secretsOf(db: QueryExecutorProvider): Secrets {
  const carrier = db.getExecutor().plugins.find((plugin) => plugin instanceof SecretsCarrier);
  return carrier?.secrets ?? IN_CLEAR;
}
