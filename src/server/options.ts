/** Checks what a page's author sets. A mistake is an exception at once, and not at the first visitor. */

import { parseUrl } from './encoding.ts';

/** The URL of a service, in one spelling. No query could stand before a path, and no `fetch` takes a user. */
export function checkedService(service: unknown): string {
  const url = plainUrl(service);
  if (!/^https?:[^?#@]+$/.test(url)) refuse('service', 'a URL', service);
  return url;
}

/** The one spelling of a URL, without a slash at its end. */
export const plainUrl = (url: unknown): string => String(parseUrl(url)?.href).replace(/\/+$/, '');

/** One origin or several. */
export function checkedOrigins(origin: unknown): readonly unknown[] {
  const origins = [origin].flat();
  if (origins.length === 0 || origins.some((each) => !each || parseUrl(each)?.origin !== each))
    refuse('origin', 'like https://shop.example', origin);
  return origins;
}

export function refuse(name: string, expected: string, got: unknown): never {
  throw new TypeError(`email-verify-widget: Expected ${name} to be ${expected}, got ${got}.`);
}
