/** The password of an account: read from a file, or generated. */
import { randomInt } from 'node:crypto';
import { secretFile } from '../../secret-file.ts';

export const PASSWORD_FILE = secretFile(
  { minimum: 8, maximum: 1000 },
  'A file with the password in one line. Without it, the command makes a password and prints it once.',
);

/** Letters and digits that look different from each other: no 0, 1, i, l or o. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** Makes a password of four groups, such as `k7mwq-…`, with 99 bits of randomness. */
export function makePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => READABLE[randomInt(READABLE.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}
