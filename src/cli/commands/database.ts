/** The commands about the whole database: its secrets, its schema, and copies of it. */

import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { quote, UsageError } from '../../service/core/usage-error.ts';
import { copyDatabase } from '../../service/database/backup/copy-database.ts';
import { readBackup } from '../../service/database/backup/read-backup.ts';
import { restoreBackup } from '../../service/database/backup/restore-backup.ts';
import { type Backup, writeBackup } from '../../service/database/backup/write-backup.ts';
import { migrationsOf } from '../../service/database/migrate.ts';
import { resealSecrets } from '../../service/database/reseal.ts';
import { secretsOf } from '../../service/database/secrets.ts';
import { type Command, defineCommand } from '../command.ts';
import { required, toggle } from '../flags.ts';
import { openForCommand } from '../open.ts';
import { writeFileWhole } from '../output-file.ts';
import { secretFile } from '../secret-file.ts';

/** The version of the program. The build sets it. */
declare const VERSION: string;

/** Means standard output, as in other programs. */
const STANDARD_OUTPUT = '-';

const LONG =
  'The backup goes on, but it takes long. Until it ends, PostgreSQL cannot clean its tables, so they grow and queries become slower. Next time, back up from a replica: see "Back up a large database" in docs/operations.md.';

export const DATABASE: readonly Command[] = [
  defineCommand({
    words: ['secrets', 'reseal'],
    description:
      'Seals the secrets that are in clear or have an older key: of callbacks, captchas and proofs, with the first key of secretsKeyFile. It works while the service runs. Afterwards, no secret needs the older keys.',
    flags: {},
    example: 'secrets reseal',
    // On a large database, it takes minutes.
    isPatient: true,
    async run({ db }) {
      const { keyId } = secretsOf(db);
      if (keyId === undefined)
        throw new UsageError('Expected secretsKeyFile in the config, got none. Add a file with a key.');
      return { key: keyId, ...(await resealSecrets(db)) };
    },
  }),
  defineCommand({
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
  }),
  defineCommand({
    words: ['backup'],
    description:
      'Writes the whole database into one compressed file, as it was at one moment. The service may run meanwhile. The command does not migrate the database.',
    operand: { placeholder: 'FILE', description: 'The new file. Write - for standard output.' },
    flags: { force: toggle('Replaces an existing file.') },
    example: 'backup /var/backups/email-verify.backup',
    takesOutput: (file) => file === STANDARD_OUTPUT,
    isPatient: true,
    schema: 'leave',
    async run({ db, stdout, warn, longMs }, { force = false }, file) {
      const write = (destination: Writable, staysOpen: boolean) =>
        writeBackup(db, destination, { program: VERSION, staysOpen, longMs, onLong: () => warn(LONG) });
      const isFile = file !== STANDARD_OUTPUT;
      if (!isFile && (stdout as { isTTY?: boolean }).isTTY) {
        throw new UsageError(
          'Expected standard output to be a file or a pipe, got a terminal. Add "> FILE", or name a file.',
        );
      }
      const { head, rows }: Backup = isFile
        ? await writeFileWhole(file, force, (destination) => write(destination, false))
        : await toOutput(stdout, () => write(stdout, true));
      return { backup: file, created_at: head.createdAt, schema: head.migrations.at(-1)!, rows: { ...rows } };
    },
  }),
  defineCommand({
    words: ['restore'],
    description:
      'Restores a backup into an empty database and migrates it. If it fails, the database stays empty. Stop the service first.',
    operand: { placeholder: 'FILE', description: 'The backup. Write - for standard input.' },
    flags: {},
    example: 'restore /var/backups/email-verify.backup',
    isPatient: true,
    schema: 'leave',
    async run({ db, where, stdin }, _, file) {
      const source = file === '-' ? stdin : await openFile(file);
      try {
        const backup = await readBackup(source);
        const { rows, migrated } = await restoreBackup(db, backup);
        const { createdAt: created_at, program } = backup.head;
        return { restored: { ...rows }, migrated, created_at, program, to: where };
      } finally {
        source.destroy();
      }
    },
  }),
  defineCommand({
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
      if (!/^postgres(ql)?:\/\//i.test(url))
        throw new UsageError('Expected the file of --to-file to hold a postgres:// URL, got something else.');
      const target = await openForCommand({ url }, undefined);
      try {
        return { copied: await copyDatabase(db, target.db), to: target.what };
      } finally {
        await target.close();
      }
    },
  }),
];

/** Distinguishes a reader that left early from an unavailable database. */
async function toOutput<Result>(stdout: Writable, write: () => Promise<Result>): Promise<Result> {
  let hasReader = true;
  stdout.once('error', () => {
    hasReader = false;
  });
  try {
    return await write();
  } catch (error) {
    if (hasReader) throw error;
    throw new UsageError('Expected standard output to take the whole backup, got a reader that left early.');
  }
}

async function openFile(path: string): Promise<Readable> {
  try {
    const handle = await open(path);
    if ((await handle.stat()).isDirectory()) {
      await handle.close();
      throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    }
    return handle.createReadStream();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `Expected a readable backup, got ${quote(path)} (${code}). Check the path and its permissions.`,
    );
  }
}
