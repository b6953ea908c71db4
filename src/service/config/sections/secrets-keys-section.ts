/** The section `secretsKeyFile`: the keys that seal stored secrets. */
import { statSync } from 'node:fs';
import { KEY_BYTES } from '../../database/secrets.ts';
import { ConfigError } from '../config-error.ts';
import { type ReadFile, readSecret } from '../read-secret.ts';

/** The keys of the file. */
export interface SecretsKeys {
  /** The first one seals, and all open. */
  readonly keys: readonly Buffer[];
  /** Whether every user of the machine can read the file. */
  readonly isOpenToOthers: boolean;
}

/** 32 bytes in Base64, in the one form that encoders write. */
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

const READABLE_BY_OTHERS = 0o004;

/** The command that makes a key. */
export const MAKE_KEY = `openssl rand -base64 ${KEY_BYTES}`;

const ADVICE = `Make a key by: ${MAKE_KEY}`;

/** @throws {ConfigError} without a key in each line. The message never quotes one */
export function readSecretsKeys(path: string, readFile: ReadFile): SecretsKeys {
  const unreadable = (code: string) =>
    new ConfigError(`Expected secretsKeyFile to be a readable file, got ${path} (${code}). ${ADVICE}`);
  const text = readSecret(path, readFile, unreadable);
  const lines = text.split('\n').map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== '' && !KEY.test(line));
  if (wrong >= 0) {
    throw new ConfigError(
      `Expected secretsKeyFile to have a key of ${KEY_BYTES} bytes in Base64 on each line, got something else in line ${wrong + 1}. ${ADVICE}`,
    );
  }
  const keys = lines.filter((line) => line !== '').map((line) => Buffer.from(line, 'base64'));
  if (keys.length === 0) throw new ConfigError(`Expected secretsKeyFile to have a key, got none. ${ADVICE}`);
  return { keys, isOpenToOthers: isOpenToOthers(path) };
}

/** Windows has no such permissions. */
function isOpenToOthers(path: string): boolean {
  const stats = process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & READABLE_BY_OTHERS) !== 0;
}
