/** The key of a service without a database, in a file. */
import { randomUUID, sign, verify } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { ConfigError } from '../config/config-error.ts';
import type { ProofKeyFile } from '../config/load-settings.ts';
import type { Log } from '../core/log.ts';
import { type KeyPair, makeKeyPair, signingKeyOf, thumbprintOf } from './key-pair.ts';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

const READABLE_KEY =
  'Other users of this machine can read the key in it. Allow only the user of the service to read the file, such as by chmod 600.';

/**
 * Reads the key, or makes it. If the default file cannot be written, the key lasts as long as the process.
 *
 * @throws {ConfigError} if the file has no key, or if a file that the config names cannot be written
 */
export function openProofKeyFile(
  { path, isNamed }: ProofKeyFile,
  log: Log,
  make: () => KeyPair = makeKeyPair,
): KeyPair {
  const pair = readPair(path);
  if (pair) {
    if (isOpenToOthers(path)) log('warn', 'config', { place: 'proofKeyFile', advice: READABLE_KEY });
    return pair;
  }
  const made = make();
  try {
    // Another process may have made one meanwhile.
    return writePair(path, made) ? made : readPair(path)!;
  } catch (error) {
    const fault = `${path} (${(error as NodeJS.ErrnoException).code})`;
    if (isNamed)
      throw new ConfigError(
        `Expected proofKeyFile to be a file in a folder that the service can write to, got ${fault}. Allow it, or name another file.`,
      );
    const advice = `The key that signs proofs cannot be kept in ${fault}, so it ends with this process. Set proofKeyFile to a file that the service can write.`;
    log('warn', 'config', { place: 'proofKeyFile', advice });
    return made;
  }
}

/** @returns undefined if there is no file */
function readPair(path: string): KeyPair | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError(
      `Expected proofKeyFile to be a readable file, got ${path} (${code}). Allow the service to read it.`,
    );
  }
  const pair = pairIn(text);
  if (pair) return pair;
  throw new ConfigError(
    `Expected proofKeyFile to have a private P-256 key as JWK, got something else in ${path}. Delete the file, and the service makes a new key.`,
  );
}

function pairIn(text: string): KeyPair | undefined {
  try {
    const { kty, crv, x, y, d } = JSON.parse(text);
    if (kty !== 'EC' || crv !== 'P-256') return undefined;
    const pair = { kid: thumbprintOf({ x, y }), x, y, d };
    return belongTogether(pair) ? pair : undefined;
  } catch {
    return undefined;
  }
}

/** OpenSSL takes a private number beside the point of another one. */
function belongTogether(pair: KeyPair): boolean {
  const { x, y } = pair;
  const text = Buffer.from(pair.kid);
  const signature = sign('sha256', text, signingKeyOf(pair).privateKey);
  return verify('sha256', text, { key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }, signature);
}

/** Links a whole file to its name, so that no process ever reads half of one. @returns false if the name is taken */
function writePair(path: string, { kid, x, y, d }: KeyPair): boolean {
  const unfinished = `${path}.${randomUUID()}`;
  const file = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    writeSync(file, `${JSON.stringify({ kty: 'EC', crv: 'P-256', x, y, d, kid }, undefined, 2)}\n`);
    fsyncSync(file);
    linkSync(unfinished, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}

/** Windows has no such permissions. */
const isOpenToOthers = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0;
