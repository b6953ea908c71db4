/** Runs admin commands within the test's process. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { CHEAP_PASSWORDS } from '../service/support/account.ts';
import type { TestDatabase } from '../service/support/database.ts';

export { createFolder } from '../folder.ts';

/** The names of the printed objects that the tests read. */
export interface Printed {
  readonly id: string;
  readonly owner_email: string;
  readonly available_credits: number;
  readonly password: string;
  readonly limits: object;
  readonly ledger: readonly { readonly amount: number; readonly balance: number }[];
  readonly key: string;
  readonly last4: string;
  readonly daily_credits: number | null;
  readonly trusted_domains: readonly string[];
  readonly trusted_ips: readonly string[];
  readonly revoked_at: string | null;
}

/** An admin command with `DATABASE_URL` set. Each method takes the words and flags. */
export interface Admin {
  /** Runs a command that must work, and returns the JSON value that it prints. */
  done<Value = Printed>(...parameters: string[]): Promise<Value>;
  /** The same for a command that prints a list. */
  listed<Value = Printed>(...parameters: string[]): Promise<Value[]>;
  /** Runs a command that must end with exit code 2, and returns its error line. */
  refused(...parameters: string[]): Promise<string>;
}

/**
 * @param database its URL or folder, which each command opens as the program does. Commands on a database of the test use
 *   its pool, which is much cheaper
 */
export function adminOn(database: TestDatabase | string): Admin {
  const isOpen = typeof database !== 'string';
  const open = isOpen
    ? async () => ({ db: database.db, what: database.name, close: async () => {} })
    : undefined;
  const environment = { DATABASE_URL: isOpen ? database.url : database };
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const run = (parameters: string[]) =>
    runCommandLine(parameters, { environment, readFile, passwordCost: CHEAP_PASSWORDS, open });
  const done = async (...parameters: string[]) => {
    const { exitCode, output, error } = await run(parameters);
    expect([exitCode, error]).toEqual([0, '']);
    return JSON.parse(output);
  };
  return {
    done,
    listed: done,
    async refused(...parameters) {
      const { exitCode, output, error } = await run(parameters);
      expect([exitCode, output], error).toEqual([2, '']);
      expect(error).toMatch(/^Expected .{1,290}\n$/);
      return error;
    },
  };
}
