/** What a key is, wherever it comes from: the config or the database. */
import type { CaptchaEntry } from '../captcha/providers.ts';

/** A value, or a promise of one where it has to be fetched. What is at hand costs a request no turn of the queue. */
export type MaybePromise<T> = T | Promise<T>;

/** The account that a key belongs to, and the limits that an operator has given it. */
export interface AccountOfKey {
  readonly id: string;
  readonly verifyPerSecond: number | undefined;
  readonly batchPerSecond: number | undefined;
  readonly accountPerSecond: number | undefined;
  /** How many addresses a batch may hold. */
  readonly batchSize: number | undefined;
}

interface AnyKey {
  /** Names the key in logs and counts. It tells nothing of the key's value. */
  readonly id: string;
  readonly mode: 'test' | 'live';
  /** A key of the config belongs to no account. */
  readonly account: AccountOfKey | undefined;
  /** What the audit log calls whoever has it. A key of the config has none. */
  readonly bearer?: Bearer;
}

/** A key of an account, or an app with a token of it. `name` is what the account's owner knows it by. */
export interface Bearer {
  readonly kind: 'key' | 'app';
  readonly id: string;
  readonly name: string;
}

/** May be seen by anyone, so it works on trusted pages only, and for verification only. */
export interface PublicKey extends AnyKey {
  readonly kind: 'public';
  readonly trustsOrigin: (origin: string) => boolean;
  readonly captcha: CaptchaEntry | undefined;
}

/** Stays on a server. It works from everywhere unless it has a list of IP addresses. */
export interface PrivateKey extends AnyKey {
  readonly kind: 'private';
  readonly trustsIp: (ip: string) => boolean;
}

export type Key = PublicKey | PrivateKey;

/** Finds keys by their value. */
export interface KeyRing {
  /** @returns `undefined` for a value that is not a key's */
  find(value: string): MaybePromise<Key | undefined>;
  /**
   * @returns the key that an OAuth access token stands for. `undefined` for one that is unknown, expired or revoked.
   */
  findAccessToken(value: string): MaybePromise<Key | undefined>;
  /** Whether a page of this origin may use any key at all. */
  anyTrustsOrigin(origin: string): MaybePromise<boolean>;
}
