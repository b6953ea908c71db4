/**
 * Computes what a billion verifications a month need, and simulates it (docs/scaling.md).
 *
 *   npm run --silent simulate -- --verifications-per-month 100000000 --ip-addresses 32
 *   npm run --silent simulate -- --write      puts the tables of the defaults into docs/scaling.md
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const outfile = fileURLToPath(new URL('../test-results/bench/simulate/main.mjs', import.meta.url));
// Node 20 does not read TypeScript by itself.
await esbuild.build({
  entryPoints: [fileURLToPath(new URL('simulate/main.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
const { main, writeDocs } = await import(pathToFileURL(outfile).href);
const words = process.argv.slice(2);
if (words.join() === '--write') writeDocs();
else {
  process.exitCode = main(
    words,
    (text) => process.stdout.write(text),
    (text) => process.stderr.write(text),
  );
}
