/** The section `database`, and the environment variable `DATABASE_URL`, which wins. */
import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { DatabaseLocation } from '../../database/database-location.ts';
import { ConfigError } from '../config-error.ts';

export const DatabaseSchema = Type.String({
  minLength: 1,
  expected: 'a postgres:// URL or the path of a folder',
  // A URL may contain a password.
  secret: true,
  description:
    'A PostgreSQL server, or the folder of an embedded one. A relative path is relative to the folder of the config file. Without a file, it is relative to the working folder.',
});

/**
 * An `@` after the host, or a `#`. The password then contains `/`, `?` or `#` as it is, and messages would quote the rest
 * of it as the host or the name of the database.
 */
const HAS_RAW_PASSWORD = /#|^[^/]*\/\/[^/?]*(\/[^?]*|\?[^=]*)@/;

/**
 * @param text a `postgres://` URL, or the path of a folder @param place the name of the setting in messages, such as
 * `database` or `DATABASE_URL` @param base the base folder of relative paths @throws {ConfigError} for a URL of another
 * database. The message never quotes the URL, because it may contain a password
 */
export function readLocation(text: string, place: string, base: string): DatabaseLocation {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    checkPath(text, place);
    return { folder: resolve(base, text) };
  }
  if (scheme !== 'postgres' && scheme !== 'postgresql') {
    throw new ConfigError(
      `Expected ${place} to be a postgres:// URL or the path of a folder, got a ${scheme}:// URL. PostgreSQL is the only supported database.`,
    );
  }
  // A URL of a socket has no host after the user. PostgreSQL allows that, but the URL standard does not.
  const isUrl = URL.canParse(text.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?]|$)/, '$1socket'));
  if (!isUrl || HAS_RAW_PASSWORD.test(text)) {
    throw new ConfigError(
      `Expected ${place} to be a URL such as postgres://user:password@host:5432/name, got one that cannot be parsed. Write special characters in the password as %XX.`,
    );
  }
  return { url: text };
}

/**
 * Catches a mistyped URL, which would otherwise become the name of a new folder, including the password. A single
 * letter before a colon is a drive.
 *
 * @throws {ConfigError} for a text that is probably not a path
 */
function checkPath(text: string, place: string): void {
  if (/^["']|^\s.*:\/\//.test(text)) {
    throw new ConfigError(
      `Expected ${place} to be a postgres:// URL or the path of a folder, got a quote or a space before it. Remove it, and the one after it.`,
    );
  }
  const start = /^([a-z][a-z0-9+.-]+:|postgres(ql)?\/\/)/i.exec(text)?.[0];
  if (start === undefined && text.trim() !== '') return;
  const got = start === undefined ? 'a blank text' : `a text that begins with "${start}"`;
  throw new ConfigError(
    `Expected ${place} to be a postgres:// URL or the path of a folder, got ${got}. Begin a relative path with "./".`,
  );
}
