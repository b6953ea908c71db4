/**
 * Computes what a billion verifications a month need, and simulates it (docs/scaling.md).
 *
 *   npm run --silent simulate -- --verifications-per-month 100000000 --ip-addresses 32
 *   npm run --silent simulate -- --write      puts the tables of the defaults into docs/scaling.md
 */
import { importMain } from './build.mjs';

const { main, writeDocs } = await importMain('simulate');
const words = process.argv.slice(2);
if (words.join() === '--write') writeDocs();
else {
  process.exitCode = main(
    words,
    (text) => process.stdout.write(text),
    (text) => process.stderr.write(text),
  );
}
