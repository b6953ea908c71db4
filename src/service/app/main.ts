/** Starts the service of a build that is whole. */
import { fileURLToPath } from 'node:url';
import { whyTooFewFiles } from './open-files.ts';

const fault = whyTooFewFiles();
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

// Loads many files, so the check comes first.
const { run } = await import('./run.ts');
await run({
  folder: fileURLToPath(new URL('../..', import.meta.url)),
  parameters: process.argv.slice(2),
});
