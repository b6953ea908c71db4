/**
 * What can be an address at all. Knows nothing of the document, and never says that an address exists: it
 * keeps what certainly is none from costing the visitor one of ten verifications.
 */

/** The HTML standard's own pattern, but for the dot that the domain has to have: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
const HTML_EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;

/** Something before the last `@`, a domain with a dot inside after it, and no white space anywhere. */
const ADDRESS_SHAPE = /^\S+@[^\s@.][^\s@]*\.[^\s@]+$/;

const NON_ASCII = /[^\0-\x7f]/;

/** The addresses in a field's value: one, or each of a comma-separated list where `multiple` is set. */
export function addressesIn(value: string, multiple: boolean): string[] {
  return (multiple ? value.split(',') : [value]).map((part) => part.trim()).filter(Boolean);
}

/** Whether a field takes a list. */
export const isMultiple = ({ type, multiple }: HTMLInputElement): boolean => type === 'email' && multiple;

/** Each address once, in the order of the list. */
export const distinct = (addresses: string[]): string[] => [
  ...new Map(addresses.map((address) => [addressKey(address), address])).values(),
];

/**
 * Whether it is worth asking for. Addresses with other than ASCII characters are left to the service, which
 * knows more of them than browsers do.
 */
export function canBeAddress(address: string): boolean {
  return (NON_ASCII.test(address) ? ADDRESS_SHAPE : HTML_EMAIL).test(address);
}

/** One key for every spelling that is certainly the same address: a domain's letter case means nothing. */
export function addressKey(address: string): string {
  return address.replace(/@[^@]*$/, (domain) => domain.toLowerCase());
}
