/** Builds the bench's scripts, because Node 20 does not run TypeScript. */
import * as esbuild from 'esbuild';
import { rawText } from '../src/house/raw.mjs';
import { processCode } from '../src/service/lists/reading/bundle.mjs';

/**
 * Runs from the top folder, as the bench does.
 *
 * @param {{ outdir: string, write?: boolean }} options
 */
export function buildBench({ outdir, write = true }) {
  return esbuild.build({
    entryPoints: [
      'bench/main.ts',
      'bench/service/live-service.ts',
      ...['mail-servers', 'engine-process', 'bare-process'].map((name) => `bench/engine/${name}.ts`),
      ...['mail-servers', 'client'].map((name) => `bench/load/${name}.ts`),
    ],
    outdir,
    outExtension: { '.js': '.mjs' },
    write,
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
  });
}
