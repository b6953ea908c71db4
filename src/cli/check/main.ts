/** The command `check` as a process: the only file that reads arguments and files. */
import { requireOpenFiles } from '../../service/app/open-files.mjs';

requireOpenFiles();
// They load many files, so the check comes first.
const [{ readTextFile }, { toLine, UsageError }, { runCheck }] = await Promise.all([
  import('../../service/core/text-file.ts'),
  import('../../service/core/usage-error.ts'),
  import('./run.ts'),
]);

/** The exit code for mistakes that the user can correct. */
const WRONG_INPUT = 2;

// A reader such as `head` may leave early.
process.stdout.on('error', () => process.exit());
try {
  await runCheck(process.argv.slice(2), {
    environment: process.env,
    readFile: readTextFile,
    print: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(text),
  });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${toLine(error.message)}\n`);
  process.exitCode = WRONG_INPUT;
}
