/** What only the npm package has: the types, and the testing kit. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { bundle, inputsOf, node } from './esbuild.mjs';
import { BuildError } from './fault.mjs';
import { FRAMEWORKS } from './scripts.mjs';

export async function makePackage(out) {
  const kit = await buildTestingKit(out);
  for (const project of ['tsconfig.types.json', 'tsconfig.types-testing.json']) writeTypes(project, out);
  writeEntry(out, 'index', 'widget/index');
  for (const framework of FRAMEWORKS) writeEntry(out, framework, `frameworks/${framework}`);
  return inputsOf([kit]);
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
    format: 'esm',
    target: 'node20',
    packages: 'external',
    external: ['node:*'],
    logLevel: node.logLevel,
    metafile: true,
  };
  return bundle(options, out);
}

function writeTypes(project, out) {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--project', project, '--outDir', `${out}/types`],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new BuildError(stdout.trim() || `Expected tsc to run, got exit code ${status}.`);
}

function writeEntry(out, entry, file) {
  writeFileSync(`${out}/${entry}.d.ts`, `export * from './types/${file}.js';\n`);
}
