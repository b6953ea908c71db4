/** Strict readers for texts that visitors send: base64url, and JSON objects. What is not exact is `undefined`. */

import { bare } from '../protocol/bare.ts';

/** By its way, and not by its name: the type has parameters in new versions of TypeScript only. */
export type Bytes = ReturnType<TextEncoder['encode']>;
export type Properties = Readonly<Record<string, unknown>>;

export const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

export const toBase64url = (bytes: Bytes): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** SHA-256. */
export const digest = async (text: string): Promise<string> =>
  toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text))));

/** Only the one way to write the bytes: `atob` itself ignores white space, and bits at the end. */
export function fromBase64url(text: string): Bytes | undefined {
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes && toBase64url(bytes) === text ? bytes : undefined;
}

export function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A string of JSON. One with a colon is the name of a property. */
const STRINGS = /"(?:[^"\\]|\\.)*"\s*:?/g;

/**
 * The properties of a JSON object. JSON with a name that is twice in an object is `undefined`: readers differ in which
 * of the two counts. Of JSON that is not an object, there are none with a name.
 */
export function objectIn(bytes: Bytes | undefined): Properties | undefined {
  try {
    // It throws for bytes that are not UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes!);
    let kept = 0;
    const value: unknown = JSON.parse(text, function (this: unknown, _, part: unknown) {
      if (!Array.isArray(this)) kept += 1;
      return part;
    });
    // One that has no strings is refused by an exception.
    const written = text.match(STRINGS)!.filter((each) => each.endsWith(':')).length;
    // The whole counts as one, as if it were a property.
    if (written !== kept - 1) return undefined;
    return bare(value as Properties);
  } catch {
    return undefined;
  }
}

/** `URL.parse`, which Node 20 does not have. */
export function parseUrl(text: unknown): URL | undefined {
  try {
    return new URL(text as string);
  } catch {
    return undefined;
  }
}

/** What all functions of this entry say of what they refuse. */
export interface Refused<Reason> {
  /** Says that it is refused. */
  readonly ok: false;
  /** Why. */
  readonly reason: Reason;
}

export const no = <Reason>(reason: Reason): Refused<Reason> => ({ ok: false, reason });

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
