/** The words that attackers of one person try first: the parts of email addresses, and the names of the service. */
import { SERVICE_NAME } from '../../core/given-name.ts';

/** The words of the service's own name. */
const SERVICE_WORDS = [SERVICE_NAME, ...SERVICE_NAME.split(' '), 'verify'];

/** Shorter parts of addresses and host names are part of many words. */
const SHORTEST_PART = 4;
/** A whole name can be shorter. */
const SHORTEST_NAME = 3;

export interface OwnNames {
  /** The person's address, and those of the person's accounts. */
  readonly emails: readonly string[];
  /** The public URL of the service, if it is configured. */
  readonly publicUrl: string | undefined;
}

/** The words that do not count in a password of this person: small letters and digits only, the longest ones first. */
export function ownNames({ emails, publicUrl }: OwnNames): string[] {
  const host = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  const names = [...SERVICE_WORDS, ...hostNames(host), ...emails.flatMap(addressNames)];
  return [...new Set(names.map(fold))]
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.length - one.length);
}

function addressNames(email: string): string[] {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)];
  return [email, ...whole(local), ...parts(local.split(/[^\p{L}\p{N}]+/u)), ...hostNames(domain)];
}

/** The host, and its labels without the last one, such as `com`. */
function hostNames(host: string): string[] {
  const labels = host.split('.').slice(0, -1);
  return [...whole(host), ...parts(labels.flatMap((label) => [label, ...label.split('-')]))];
}

const whole = (name: string): string[] => (fold(name).length < SHORTEST_NAME ? [] : [name]);
const parts = (words: readonly string[]): string[] =>
  words.filter((word) => fold(word).length >= SHORTEST_PART);

/**
 * Takes the names out of a password.
 *
 * @returns the letters and digits that are left, or undefined if the password has none of the names
 */
export function withoutNames(password: string, names: readonly string[]): string | undefined {
  const folded = fold(password);
  let rest = folded;
  // The longest ones come first, so that a part of a name does not leave the others behind.
  for (const name of names) rest = rest.replaceAll(name, '');
  return rest === folded ? undefined : rest;
}

/** Small letters and digits, without accents and what stands between them: `Ada.Lovelace` and `ada-lovelace` are the same. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
