/** `restore`: fills an empty database from a backup. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { readBackup } from '../../../service/database/backup/read-backup.ts';
import { restoreBackup } from '../../../service/database/backup/restore-backup.ts';
import { defineCommand } from '../../command.ts';

export const restore = defineCommand({
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
});

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
