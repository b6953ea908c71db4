/** Makes the secrets of OAuth, and the digests that are stored in their place. */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../../crypto/sha256.ts';

/** 32 random bytes as base64url: 43 characters that cannot be guessed. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database stores of a secret. The secrets are random, so a fast hash is enough. */
export function digestOf(secret: string): Buffer {
  return Buffer.from(sha256(secret), 'hex');
}

/** What an app gets, and the digests of it. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly digests: {
    readonly handle: Buffer;
    readonly refreshToken: Buffer;
    readonly accessToken: Buffer;
  };
}

/** The prefixes tell people and scanners what they have found. No API key begins like that. */
const ACCESS = 'at_';
const REFRESH = /^rt_([\w-]{43})([\w-]{43})$/;

/**
 * @param handle what the refresh tokens of a family have in common. @default a new one, for a new family
 */
export function makePair(handle = makeSecret()): TokenPair {
  const accessToken = ACCESS + makeSecret();
  const refreshToken = `rt_${handle}${makeSecret()}`;
  return {
    accessToken,
    refreshToken,
    digests: {
      handle: digestOf(handle),
      refreshToken: digestOf(refreshToken),
      accessToken: digestOf(accessToken),
    },
  };
}

/** @returns the handle in a refresh token, or undefined for any other text */
export function handleOf(refreshToken: string): string | undefined {
  return REFRESH.exec(refreshToken)?.[1];
}
