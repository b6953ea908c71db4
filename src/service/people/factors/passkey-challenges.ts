/**
 * The challenges that passkeys sign. A challenge is signed by the service and belongs to one browser and one purpose. So
 * it need not be stored: whoever opens the sign-in page, however often, leaves nothing in the database. Each passkey
 * accepts only challenges that are later than its last one, so each is used once.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../database/schema.ts';
import { readChallengeKey } from './passkey-store.ts';

/** `add`: with the person's id. A passkey for one person is not added to another. */
export type Purpose = 'sign in' | 'confirm' | `add ${string}`;

/** How long a challenge may be signed, in milliseconds. */
const LASTS_MS = 10 * 60 * 1000;

const NONCE_BYTES = 16;
const TIME_BYTES = 8;
const SIGNED_BYTES = NONCE_BYTES + TIME_BYTES;
const MAC_BYTES = 32;

/** @param browser the value of the browser's cookie */
export async function makeChallenge(db: Db, browser: string, purpose: Purpose): Promise<Buffer> {
  const { key, now } = await readChallengeKey(db);
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(now.getTime()));
  const signed = Buffer.concat([randomBytes(NONCE_BYTES), time]);
  return Buffer.concat([signed, sign(key, signed, browser, purpose)]);
}

/** @returns when the challenge was made, or undefined for one that was not made for this, or is too old */
export async function readChallenge(
  db: Db,
  challenge: string,
  browser: string,
  purpose: Purpose,
): Promise<Date | undefined> {
  const sent = Buffer.from(challenge, 'base64url');
  if (sent.length !== SIGNED_BYTES + MAC_BYTES) return undefined;
  const { key, now } = await readChallengeKey(db);
  const signed = sent.subarray(0, SIGNED_BYTES);
  if (!timingSafeEqual(sent.subarray(SIGNED_BYTES), sign(key, signed, browser, purpose))) return undefined;
  const made = Number(signed.readBigUInt64BE(NONCE_BYTES));
  return now.getTime() - made < LASTS_MS ? new Date(made) : undefined;
}

const sign = (key: Buffer, signed: Buffer, browser: string, purpose: Purpose): Buffer =>
  createHmac('sha256', key)
    .update(signed)
    .update(JSON.stringify([browser, purpose]))
    .digest();
