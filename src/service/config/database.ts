/** The section `database`, and the environment's `DATABASE_URL`, which wins. */
import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { DatabaseLocation } from '../database/location.ts';
import { ConfigError } from './failure.ts';

export const DatabaseSchema = Type.String({
  minLength: 1,
  expected: 'a postgres:// URL or the path of a folder',
  // A URL holds a password.
  secret: true,
  description:
    'A PostgreSQL server, or the folder of an embedded one. A relative path starts at the folder of the config file. Without a file, it starts at the working folder.',
});

/**
 * @param text a `postgres://` URL, or the path of a folder
 * @param place how messages name the text, such as `database` or `DATABASE_URL`
 * @param base the folder that a relative path begins at
 * @throws {ConfigError} for a URL that is not PostgreSQL's; the message never quotes it, since it may hold a password
 */
export function readLocation(text: string, place: string, base: string): DatabaseLocation {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    checkPath(text, place);
    return { folder: resolve(base, text) };
  }
  if (scheme !== 'postgres' && scheme !== 'postgresql') {
    throw new ConfigError(
      `Expected ${place} to be a postgres:// URL or the path of a folder, got a ${scheme}:// URL. PostgreSQL is the only database that the service knows.`,
    );
  }
  // A URL of a socket has no host after the user, which PostgreSQL knows and the URL standard does not.
  if (!URL.canParse(text.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?]|$)/, '$1socket'))) {
    throw new ConfigError(
      `Expected ${place} to be a URL such as postgres://user:password@host:5432/name, got one that cannot be read. Write special characters of the password as %XX.`,
    );
  }
  return { url: text };
}

/**
 * A mistyped URL would become the name of a new and empty folder, with the password in it.
 * A single letter before a colon is a drive.
 *
 * @throws {ConfigError} for a text that is hardly a path
 */
function checkPath(text: string, place: string): void {
  const start = /^[a-z][a-z0-9+.-]+:/i.exec(text)?.[0];
  if (start === undefined && text.trim() !== '') return;
  const got = start === undefined ? 'a blank text' : `a text that begins with "${start}"`;
  throw new ConfigError(
    `Expected ${place} to be a postgres:// URL or the path of a folder, got ${got}. Begin a relative path with "./".`,
  );
}
