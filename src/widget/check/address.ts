/**
 * Recognises text that cannot be an address, so that it does not cost the visitor one of ten verifications. It cannot
 * tell whether an address exists. Knows no document.
 */

import { isText } from '../../protocol/text.ts';

/** The addresses in a field's value: one, or with `multiple` each of a comma-separated list. */
export function addressesIn(value: string, multiple: boolean): string[] {
  return (multiple ? value.split(',') : [value]).map((part) => part.trim()).filter(Boolean);
}

/** Whether an input takes a list. */
export const isMultiple = ({ type, multiple }: HTMLInputElement): boolean => type === 'email' && multiple;

/** Each address once, in the order of the list. */
export const distinct = (addresses: string[]): string[] => [
  ...new Map(addresses.map((address) => [addressKey(address), address])).values(),
];

/**
 * Whether a text can be an address. Addresses with non-ASCII characters go to the service, which knows more of them
 * than browsers do.
 */
export function canBeAddress(address: string): boolean {
  return (
    /[^\0-\x7f]/.test(address)
      ? // Text before the last `@`, a domain with a dot inside after it, and no white space.
        /^\S+@[^\s@.]+\.[^\s@]+$/
      : // The HTML standard's grammar, but the domain needs a dot:
        // https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
        /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:(?!-)[a-z\d-]{1,63}(?<!-)(?:\.(?!$)|$)){2,}$/i
  ).test(address);
}

/** The same key for spellings of one address: with spaces around it, and its domain in any case. */
export function addressKey(address: string): string {
  return address.trim().replace(/@[^@]*$/, (domain) => domain.toLowerCase());
}

/** TypeScript has this method in ES2024. All supported browsers have it. */
interface String2024 {
  toWellFormed(): string;
}

/** Without regard to case, to how accents are composed, and to the form of an international domain. */
const spelledOut = (address: string) =>
  // A request sends half a character as the replacement character.
  (address.trim() as string & String2024)
    .toWellFormed()
    .normalize()
    .toLowerCase()
    .replace(/[^@]*$/, (domain) => new URL(`http://${domain}`).host);

/**
 * Whether a result is about the address that was asked. A result without an address counts as such.
 *
 * @throws if the addresses differ, and one has a domain that no URL can have
 */
export const isSameAddress = (email: unknown, address: string): boolean =>
  !isText(email) || email === address || spelledOut(email) === spelledOut(address);
