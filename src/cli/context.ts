/** The context of a command, after the database is open and its schema is right. */
import type { Readable, Writable } from 'node:stream';
import type { Durations } from '../service/config/sections/durations-section.ts';
import type { LiveSettings } from '../service/config/sections/live-section.ts';
import type { Db } from '../service/database/database.ts';
import type { PasswordCost } from '../service/people/accounts/password-hash.ts';

/** For a command that reads or writes a large file. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

export interface CommandContext extends Streams {
  readonly db: Db;
  /** The location of the database in words, without its password. */
  readonly where: string;
  /** The keys of the config file. A key of the database must differ from them. */
  readonly configKeys: readonly string[];
  /** Those of the config file, or the defaults. */
  readonly durations: Durations;
  /** Whether unknown results are free. */
  readonly refundUnknown: boolean;
  /** The base of links to the service, without a slash at the end. */
  readonly serviceUrl: string;
  /** How live verification is configured, if it is. */
  readonly live: LiveSettings | undefined;
  /** Writes a line to standard error while the command goes on. */
  readonly warn: (line: string) => void;
  /** After how many milliseconds a command that holds up the database says so. @default its own */
  readonly longMs?: number | undefined;
  /** The cost of new hashes. @default that of the service */
  readonly passwordCost?: PasswordCost | undefined;
}
