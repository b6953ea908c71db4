/** The admin command as a process: the only file that reads arguments, the environment and files. */
import { requireOpenFiles } from '../service/app/open-files.mjs';

requireOpenFiles();
// They load many files, so the check comes first.
const [{ readTextFile }, { runCommandLine }] = await Promise.all([
  import('../service/core/text-file.ts'),
  import('./run.ts'),
]);

const { exitCode, output, error } = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  readFile: readTextFile,
});
// A reader such as `head` may leave early.
process.stdout.on('error', () => process.exit(exitCode));
// A pipe may be slow. Exiting at once would cut the text.
process.stderr.write(error, () => process.stdout.write(output, () => process.exit(exitCode)));
