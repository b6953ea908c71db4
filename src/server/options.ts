/** Checks what a page's author sets. A mistake is an exception at once, and not at the first visitor. */

import { parseUrl } from './encoding.ts';

/** The URL without a slash at its end, as `iss` has it. */
export function checkedService(service: unknown): string {
  if (!/^https?:$/.test(String(parseUrl(service)?.protocol))) refuse('service', 'a URL', service);
  return withoutSlash(service as string);
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** One origin or several. */
export function checkedOrigins(origin: unknown): readonly unknown[] {
  const origins = [origin].flat();
  for (const each of origins)
    if (String(parseUrl(each)?.origin) !== each)
      refuse('origin', 'an origin, such as https://shop.example', each);
  return origins;
}

export function refuse(name: string, expected: string, got: unknown): never {
  throw new TypeError(`email-verify-widget: Expected ${name} to be ${expected}, got ${got}.`);
}
