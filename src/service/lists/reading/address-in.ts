/** Finds the address in a cell, and mends what people cannot see. */
import { isAddress } from '../../../engine/address/syntax.ts';

const NAMED = /^[^<>]*<([^<>]*)>$/;

/** A copied link (RFC 6068, section 2). The part after the address has headers. */
const LINK = /^mailto:([^?]*)/i;

/** Characters without a shape that programs and web pages leave in copied text. No address needs them. */
const UNSEEN = /(?!\s)[\p{Cc}\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;
/** Joiners belong to words of some scripts. In an address of ASCII letters, they are left over. */
const JOINERS = /[\u200C\u200D]/g;
const ASCII = /^[ -~\u200C\u200D]*$/;
/** The end of the sentence that the address was copied from. No domain of an address ends with a dot. */
const DOT_AT_END = /\.$/;

/**
 * The address in a cell: `Ada <ada@example.com>` gives `ada@example.com`. Invisible characters and a dot at the end are
 * dropped. The result may be malformed.
 */
export function addressIn(cell: string): string {
  const seen = cell.replace(UNSEEN, '').trim();
  const text = ASCII.test(seen) ? seen.replace(JOINERS, '') : seen;
  const address = NAMED.exec(text)?.[1]?.trim() ?? text;
  const plain = LINK.exec(address)?.[1] ?? address;
  return plain.includes('@') ? plain.replace(DOT_AT_END, '') : plain;
}

/** Whether a cell has a well-formed address. The engine calls everything else `invalid_email`. */
export const hasAddress = (cell: string): boolean => cell.includes('@') && isAddress(addressIn(cell));

/** A cell with the address of its link, which a spreadsheet shows only under the pointer. */
export function withLink(text: string, link: string): string {
  const target = LINK.exec(link)?.[1];
  if (target === undefined || hasAddress(text)) return text;
  const address = decoded(target);
  if (!isAddress(address)) return text;
  const name = text.replace(/[<>]/g, ' ').trim();
  return name === '' ? address : `${name} <${address}>`;
}

/** Without percent encoding. An invalid one stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
