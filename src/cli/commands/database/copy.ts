/** `copy`: moves everything to another PostgreSQL server. */

import { UsageError } from '../../../service/core/usage-error.ts';
import { copyDatabase } from '../../../service/database/backup/copy-database.ts';
import { defineCommand } from '../../command.ts';
import { required } from '../../flags.ts';
import { openForCommand } from '../../open.ts';
import { secretFile } from '../../secret-file.ts';

export const copy = defineCommand({
  words: ['copy'],
  description:
    'Copies the whole database to an empty one on another server. Stop the service first. Afterwards, start it with the new database.',
  flags: {
    'to-file': required(
      secretFile({ minimum: 1, maximum: 2000 }, 'A file with the postgres:// URL of the new database.'),
    ),
  },
  example: 'copy --to-file new-database-url.txt',
  // A large database takes minutes.
  isPatient: true,
  async run({ db }, { 'to-file': url }) {
    if (!/^postgres(ql)?:\/\//i.test(url)) {
      throw new UsageError('Expected the file of --to-file to hold a postgres:// URL, got something else.');
    }
    const target = await openForCommand({ url }, undefined);
    try {
      return { copied: await copyDatabase(db, target.db), to: target.what };
    } finally {
      await target.close();
    }
  },
});
