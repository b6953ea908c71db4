/** All commands, in the order of the help text. */
import type { Command } from '../command.ts';
import { accountAddCredits } from './account/account-add-credits.ts';
import { accountCreate } from './account/account-create.ts';
import { accountDelete } from './account/account-delete.ts';
import { accountLimits } from './account/account-limits.ts';
import { accountList } from './account/account-list.ts';
import { accountMembersAdd } from './account/account-members-add.ts';
import { accountMembersList } from './account/account-members-list.ts';
import { accountMembersRemove } from './account/account-members-remove.ts';
import { accountMembersSetRole } from './account/account-members-set-role.ts';
import { accountPassword } from './account/account-password.ts';
import { accountRename } from './account/account-rename.ts';
import { accountShow } from './account/account-show.ts';
import { appCreate } from './app/app-create.ts';
import { appDelete } from './app/app-delete.ts';
import { appList } from './app/app-list.ts';
import { batchDelete } from './batch/batch-delete.ts';
import { batchList } from './batch/batch-list.ts';
import { batchPause } from './batch/batch-pause.ts';
import { batchResume } from './batch/batch-resume.ts';
import { batchSendCallback } from './batch/batch-send-callback.ts';
import { batchShow } from './batch/batch-show.ts';
import { batchStop } from './batch/batch-stop.ts';
import { backup } from './database/backup.ts';
import { copy } from './database/copy.ts';
import { migrateCommand } from './database/migrate.ts';
import { restore } from './database/restore.ts';
import { secretsReseal } from './database/secrets-reseal.ts';
import { domainForget } from './domain/domain-forget.ts';
import { domainShow } from './domain/domain-show.ts';
import { keyCreate } from './key/key-create.ts';
import { keyList } from './key/key-list.ts';
import { keyRevoke } from './key/key-revoke.ts';
import { keyRoll } from './key/key-roll.ts';
import { keyUpdate } from './key/key-update.ts';
import { listsUpdate } from './lists/lists-update.ts';
import { auditBooksCommand } from './operations/audit-books.ts';
import { doctor } from './operations/doctor.ts';
import { jobs } from './operations/jobs.ts';
import { status } from './operations/status.ts';
import { paymentList } from './payment/payment-list.ts';
import { paymentShow } from './payment/payment-show.ts';
import { personDelete } from './person/person-delete.ts';
import { personEndSessions } from './person/person-end-sessions.ts';
import { personList } from './person/person-list.ts';
import { personPassword } from './person/person-password.ts';
import { personResetSecondFactor } from './person/person-reset-second-factor.ts';
import { personShow } from './person/person-show.ts';
import { personSignInLink } from './person/person-sign-in-link.ts';
import { personUnlink } from './person/person-unlink.ts';
import { proofKeyList } from './proof-key/proof-key-list.ts';
import { proofKeyRoll } from './proof-key/proof-key-roll.ts';
import { survey } from './survey/survey.ts';

export const COMMANDS: readonly Command[] = [
  accountCreate,
  accountAddCredits,
  accountLimits,
  accountPassword,
  accountList,
  accountShow,
  accountRename,
  accountMembersList,
  accountMembersAdd,
  accountMembersSetRole,
  accountMembersRemove,
  accountDelete,
  personList,
  personShow,
  personPassword,
  personResetSecondFactor,
  personEndSessions,
  personSignInLink,
  personUnlink,
  personDelete,
  personResetSecondFactor,
  keyCreate,
  keyList,
  keyUpdate,
  keyRoll,
  keyRevoke,
  batchList,
  batchShow,
  batchPause,
  batchResume,
  batchStop,
  batchSendCallback,
  batchDelete,
  paymentList,
  paymentShow,
  domainShow,
  domainForget,
  jobs,
  appCreate,
  appList,
  appDelete,
  proofKeyList,
  proofKeyRoll,
  secretsReseal,
  migrateCommand,
  backup,
  restore,
  copy,
  status,
  auditBooksCommand,
  doctor,
  listsUpdate,
  survey,
];
