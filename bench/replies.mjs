/**
 * Reads the public corpus of replies with the published rules of other verifiers (docs/comparison.md).
 *
 *   npm run --silent bench:replies
 *   npm run --silent bench:replies -- --write      puts the table into docs/comparison.md
 */
import { fileURLToPath } from 'node:url';
import { importMain } from './build.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { report, writeDocs } = await importMain('replies');
const words = process.argv.slice(2);
if (words.join() === '--write') writeDocs();
else if (words.length === 0) process.stdout.write(report());
else {
  process.stderr.write(`Expected nothing or --write, got ${words.join(' ')}.\n`);
  process.exitCode = 2;
}
