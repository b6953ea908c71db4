/** What a command works with, once the database is open and migrated. */
import type { Db } from '../service/database/database.ts';

export interface CommandContext {
  readonly db: Db;
  /** Where the database is, in words and without its password. */
  readonly where: string;
  /** The keys of the config file. A key of the database must differ from them. */
  readonly configKeys: readonly string[];
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
}
