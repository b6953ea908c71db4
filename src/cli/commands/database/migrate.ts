/** `migrate`: brings the schema of the database up to date. */
import { migrationsOf } from '../../../service/database/migrate.ts';
import { defineCommand } from '../../command.ts';

export const migrateCommand = defineCommand({
  words: ['migrate'],
  description:
    'Migrates the database to the schema of this version. The start of the service does this too, and no other command. This command has no time limit.',
  flags: {},
  example: 'migrate',
  // On a large database, a migration can take minutes.
  isPatient: true,
  schema: 'migrate',
  async run({ db }) {
    // Opening the database has migrated it.
    const migrations = await migrationsOf(db);
    return { schema: migrations.at(-1) ?? null, migrations };
  },
});
