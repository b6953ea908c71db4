/** What only the npm package has: the types, the testing kit, and what the page's own server imports. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as esbuild from 'esbuild';
import { bundle, inputsOf, node } from './esbuild.mjs';
import { BuildError } from './fault.mjs';
import { FRAMEWORKS } from './scripts.mjs';
import { minifyBundle } from './terse.mjs';

export async function makePackage(out) {
  const built = [await buildTestingKit(out), await buildServer(out)];
  for (const project of ['tsconfig.types.json', 'tsconfig.types-testing.json']) writeTypes(project, out);
  writeEntry(out, 'index', 'widget/index');
  writeEntry(out, 'server', 'server/index');
  for (const framework of FRAMEWORKS) writeEntry(out, framework, `frameworks/${framework}`);
  return inputsOf(built);
}

/** The testing kit. It needs only Node, and the test tools that its users have. */
function buildTestingKit(out) {
  const options = {
    entryPoints: ['index', 'msw', 'playwright'].map((name) => `src/testing/${name}.ts`),
    outdir: 'dist/testing',
    bundle: true,
    // Shared code exists once, so that all entries use the same sandbox.
    splitting: true,
    chunkNames: 'shared-[hash]',
    ...{ format: 'esm', target: 'node20', packages: 'external', external: ['node:*'] },
    ...{ logLevel: node.logLevel, metafile: true },
  };
  return bundle(options, out);
}

/** It runs in Node, Deno, Bun and at the edge, so it may import nothing: `neutral` finds no module of Node. */
async function buildServer(out) {
  const bundled = await esbuild.build({
    entryPoints: ['src/server/index.ts'],
    outfile: 'dist/server.js',
    ...{ bundle: true, minifySyntax: true, format: 'esm', platform: 'neutral', target: 'es2022' },
    ...{ write: false, logLevel: node.logLevel, metafile: true },
  });
  const { code } = await minifyBundle(bundled.outputFiles[0].text, { module: true });
  writeFileSync(`${out}/server.js`, code);
  return bundled;
}

function writeTypes(project, out) {
  const parameters = ['node_modules/typescript/bin/tsc', '--project', project, '--outDir', `${out}/types`];
  const { status, stdout } = spawnSync(process.execPath, parameters, { encoding: 'utf8' });
  if (status !== 0) throw new BuildError(stdout.trim() || `Expected tsc to run, got exit code ${status}.`);
}

function writeEntry(out, entry, file) {
  writeFileSync(`${out}/${entry}.d.ts`, `export * from './types/${file}.js';\n`);
}
