/** The types of keys, from the config and from the database. */
import type { CaptchaEntry } from '../captcha/captcha-providers.ts';

/** A value, or a promise if it must be fetched. A value at hand costs a request no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** The account that a key belongs to, and the limits that an operator has given it. */
export interface AccountOfKey {
  readonly id: string;
  readonly verifyPerSecond: number | undefined;
  readonly batchPerSecond: number | undefined;
  readonly accountPerSecond: number | undefined;
  /** How many addresses a batch may have. */
  readonly batchSize: number | undefined;
}

interface AnyKey {
  /** Identifies the key in logs and counts, without revealing its value. */
  readonly id: string;
  readonly mode: 'test' | 'live';
  /** A key of the config has no account. */
  readonly account: AccountOfKey | undefined;
  /** The owner of the key for the audit log. A key of the config has none. */
  readonly bearer?: Bearer;
}

/** A key of an account, or an app with a token. The account's owner knows it by `name`. */
export type Bearer = { readonly kind: 'key' | 'app'; readonly id: string; readonly name: string };

/** Visible to anyone, so it works only on trusted pages and only for verification. */
export interface PublicKey extends AnyKey {
  readonly kind: 'public';
  readonly trustsOrigin: (origin: string) => boolean;
  readonly captcha: CaptchaEntry | undefined;
  /** How many credits it may spend in a day. @default any number */
  readonly dailyCredits?: number | undefined;
}

/** For servers. It works from every IP address unless it has a list of IP addresses. */
export interface PrivateKey extends AnyKey {
  readonly kind: 'private';
  readonly trustsIp: (ip: string) => boolean;
}

export type Key = PublicKey | PrivateKey;

/** Finds keys by their value. */
export interface KeyRing {
  /** @returns `undefined` for a value that is not a key's */
  find(value: string): MaybePromise<Key | undefined>;
  /** @returns the key of an OAuth access token. `undefined` for one that is unknown, expired or revoked. */
  findAccessToken(value: string): MaybePromise<Key | undefined>;
  /** Whether a page of this origin may use any key at all. */
  anyTrustsOrigin(origin: string): MaybePromise<boolean>;
}
