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
import { backup } from './backup.ts';
import { batchDelete } from './batch-delete.ts';
import { batchList } from './batch-list.ts';
import { batchPause } from './batch-pause.ts';
import { batchResume } from './batch-resume.ts';
import { batchSendCallback } from './batch-send-callback.ts';
import { batchShow } from './batch-show.ts';
import { copy } from './copy.ts';
import { doctor } from './doctor.ts';
import { jobs } from './jobs.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRevoke } from './key-revoke.ts';
import { keyRoll } from './key-roll.ts';
import { migrateCommand } from './migrate.ts';
import { restore } from './restore.ts';
import { secretsReseal } from './secrets-reseal.ts';
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
  batchList,
  batchShow,
  batchPause,
  batchResume,
  batchSendCallback,
  batchDelete,
  jobs,
  appCreate,
  appList,
  appDelete,
  secretsReseal,
  migrateCommand,
  backup,
  restore,
  copy,
  status,
  doctor,
];
