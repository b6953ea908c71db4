/**
 * What a new password must be like (OWASP ASVS 5.0, section 6.2; NIST SP 800-63B, section 3.1.1.2): long enough, not
 * among the most common ones, and more than the person's own names. Any characters will do. The rules hold wherever a
 * password is made. A sign-in does not ask about them, so older passwords still work.
 */
import { isCommonPassword } from './common-passwords.ts';
import { withoutNames } from './own-names.ts';

/** In characters, as people count them: code points of the composed form. */
export const PASSWORD_LENGTH = { minimum: 8, maximum: 128 };

/** Why a new password is refused. */
export type PasswordFault = 'short' | 'long' | 'common' | 'own-name';

/** Each fault as a sentence. */
export const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  short: `Expected a password of at least ${PASSWORD_LENGTH.minimum} characters.`,
  long: `Expected a password of at most ${PASSWORD_LENGTH.maximum} characters.`,
  common:
    'This password is one of the 100,000 most common ones, which attackers try first. Choose another one.',
  'own-name': `Your email address, your account or this service is part of the password, and fewer than ${PASSWORD_LENGTH.minimum} letters and digits are left without it. Choose another one.`,
};

/** The rules in one sentence, for the hint of a field. */
export const PASSWORD_RULES = `At least ${PASSWORD_LENGTH.minimum} characters, and not one that others use often. A sentence is easy to remember.`;

/** @param names what `ownNames` returns for the person */
export async function findPasswordFault(
  password: string,
  names: readonly string[],
): Promise<PasswordFault | undefined> {
  const length = lengthOf(password);
  if (length < PASSWORD_LENGTH.minimum) return 'short';
  if (length > PASSWORD_LENGTH.maximum) return 'long';
  if (await isCommonPassword(password)) return 'common';
  const rest = withoutNames(password, names);
  if (rest === undefined) return undefined;
  // A common password does not get better by a name.
  return lengthOf(rest) < PASSWORD_LENGTH.minimum || (await isCommonPassword(rest)) ? 'own-name' : undefined;
}

const lengthOf = (text: string): number => [...text.normalize('NFC')].length;
