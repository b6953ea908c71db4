/** The section `publicUrl`: the base of links and redirects. */
import { ConfigError } from '../config-error.ts';
import { isHttpUrl, quote } from './shared-schemas.ts';

/** @returns the URL without a slash at the end @throws {ConfigError} if links cannot begin with it */
export function readPublicUrl(text: string): string {
  const url = isHttpUrl(text) ? new URL(text) : undefined;
  if (!url || url.search || url.hash || url.username || url.password) {
    throw new ConfigError(
      `Expected publicUrl to be an http or https URL such as "https://verify.example", got ${url?.password ? 'one with a password' : quote(text)}.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
