/** Builds the bench's scripts, because Node 20 does not run TypeScript. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { rawText } from '../src/build/raw-text.mjs';
import { processCode } from '../src/service/lists/reading/bundle.mjs';

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  // The files of the pages and the processes' scripts, as in the build.
  loader: { '.css': 'text' },
  plugins: [processCode, rawText],
  sourcemap: true,
  logLevel: 'warning',
};

/**
 * Runs from the top folder, as the bench does.
 *
 * @param {{ outdir: string, write?: boolean }} options
 */
export function buildBench({ outdir, write = true }) {
  return esbuild.build({
    ...OPTIONS,
    entryPoints: [
      'bench/main.ts',
      'bench/chaos/main.ts',
      'bench/service/live-service.ts',
      ...['mail-servers', 'engine-process', 'bare-process'].map((name) => `bench/engine/${name}.ts`),
      ...['mail-servers', 'client'].map((name) => `bench/load/${name}.ts`),
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    write,
  });
}

/** Builds and imports the `main.ts` of a folder of the bench. Runs from any folder. @param {string} folder */
export async function importMain(folder) {
  const outfile = fileURLToPath(new URL(`../test-results/bench/${folder}/main.mjs`, import.meta.url));
  const entryPoints = [fileURLToPath(new URL(`${folder}/main.ts`, import.meta.url))];
  await esbuild.build({ ...OPTIONS, entryPoints, outfile });
  return import(pathToFileURL(outfile).href);
}
