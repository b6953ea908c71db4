/** `backup`: writes everything into one file, while the service runs. */
import type { Writable } from 'node:stream';
import { UsageError } from '../../../service/core/usage-error.ts';
import { type Backup, writeBackup } from '../../../service/database/backup/write-backup.ts';
import { defineCommand } from '../../command.ts';
import { toggle } from '../../flags.ts';
import { writeFileWhole } from '../../output-file.ts';

/** The version of the program. The build sets it. */
declare const VERSION: string;

/** Means standard output, as in other programs. */
const STANDARD_OUTPUT = '-';

const LONG =
  'The backup goes on, but it takes long. Until it ends, PostgreSQL cannot clean its tables, so they grow and queries become slower. Next time, back up from a replica: see "Back up a large database" in docs/operations.md.';

export const backup = defineCommand({
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
});

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
