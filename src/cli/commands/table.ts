/** All commands, in the order of the help text. */
import type { Command } from '../command.ts';
import { ACCOUNT } from './account/account.ts';
import { accountAddCredits } from './account/account-add-credits.ts';
import { accountCreate } from './account/account-create.ts';
import { accountDelete } from './account/account-delete.ts';
import { accountLimits } from './account/account-limits.ts';
import { ACCOUNT_MEMBERS } from './account/account-members.ts';
import { APP } from './app.ts';
import { BATCH } from './batch.ts';
import { DATABASE } from './database.ts';
import { DOMAIN } from './domain.ts';
import { KEY } from './key.ts';
import { listsUpdate } from './lists/lists-update.ts';
import { auditBooksCommand } from './operations/audit-books.ts';
import { doctor } from './operations/doctor.ts';
import { jobs } from './operations/jobs.ts';
import { status } from './operations/status.ts';
import { PAYMENT } from './payment.ts';
import { PERSON } from './person.ts';
import { PROOF_KEY } from './proof-key.ts';
import { survey } from './survey/survey.ts';

export const COMMANDS: readonly Command[] = [
  accountCreate,
  accountAddCredits,
  accountLimits,
  ...ACCOUNT,
  ...ACCOUNT_MEMBERS,
  accountDelete,
  ...PERSON,
  ...KEY,
  ...BATCH,
  ...PAYMENT,
  ...DOMAIN,
  jobs,
  ...APP,
  ...PROOF_KEY,
  ...DATABASE,
  status,
  auditBooksCommand,
  doctor,
  listsUpdate,
  survey,
];
