/** Codes of authenticator apps (RFC 6238): SHA-1, six digits, a new code every 30 seconds, as all apps have them. */
import { generateSecret, generateURI, verifySync } from 'otplib';
import { SERVICE_NAME } from '../../core/given-name.ts';

/** How long a code is shown, in seconds. */
const STEP = 30;

/** A new key for an app, in Base32: 160 bits (RFC 4226, section 4). */
export const makeAppSecret = (): string => generateSecret({ length: 20 });

/** What the QR code says. Apps show the issuer and the address. */
export const appUri = (secret: string, email: string): string =>
  generateURI({ issuer: SERVICE_NAME, label: email, secret });

/**
 * Finds the time step of a code: the present one, or one to either side, because clocks differ (RFC 6238, section 5.2).
 *
 * @param seconds the time, in seconds since 1970 @param lastStep the step of the last accepted code. Neither this one nor
 * an earlier one is found
 * @returns undefined for a wrong code
 */
export function stepOfCode(
  secret: string,
  code: string,
  seconds: number,
  lastStep: number | null,
): number | undefined {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const now = Math.floor(seconds / STEP);
  // The library refuses such a last step. No later one is left to find.
  if (lastStep !== null && lastStep > now) return undefined;
  const found = verifySync({
    ...{ secret, token, period: STEP, epoch: seconds, epochTolerance: STEP },
    ...(lastStep !== null && { afterTimeStep: lastStep }),
  });
  return found.valid ? now + found.delta : undefined;
}
