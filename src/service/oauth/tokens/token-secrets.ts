/** Creates the secrets of OAuth, and the digests that are stored instead. */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../../shared/sha256.ts';

/** 32 random bytes as base64url: 43 characters that cannot be guessed. */
export const makeSecret = (): string => randomBytes(32).toString('base64url');

/** The tokens for an app, and their digests. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly digests: Readonly<Record<'handle' | 'refreshToken' | 'accessToken', Buffer>>;
}

/** The prefixes help people and scanners to recognise tokens. API keys have other prefixes. */
const ACCESS = 'at_';
const REFRESH = /^rt_([\w-]{43})([\w-]{43})$/;

/** @param handle the common part of a family's refresh tokens. @default a new one, for a new family */
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
export const handleOf = (refreshToken: string): string | undefined => REFRESH.exec(refreshToken)?.[1];
