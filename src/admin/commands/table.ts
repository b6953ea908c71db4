/** All commands, in the order of the help text. */
import type { Command } from '../command.ts';
import { accountAddCredits } from './account-add-credits.ts';
import { accountCreate } from './account-create.ts';
import { accountDelete } from './account-delete.ts';
import { accountLimits } from './account-limits.ts';
import { accountList } from './account-list.ts';
import { accountPassword } from './account-password.ts';
import { accountShow } from './account-show.ts';
import { appCreate } from './app-create.ts';
import { appDelete } from './app-delete.ts';
import { appList } from './app-list.ts';
import { copy } from './copy.ts';
import { doctor } from './doctor.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRevoke } from './key-revoke.ts';
import { keyRoll } from './key-roll.ts';
import { migrateCommand } from './migrate.ts';
import { status } from './status.ts';

export const COMMANDS: readonly Command[] = [
  accountCreate,
  accountAddCredits,
  accountLimits,
  accountPassword,
  accountList,
  accountShow,
  accountDelete,
  keyCreate,
  keyList,
  keyRoll,
  keyRevoke,
  appCreate,
  appList,
  appDelete,
  migrateCommand,
  copy,
  status,
  doctor,
];
