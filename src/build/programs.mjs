/** The programs that run in Node, and the dashboard's script: all that `npm run admin`, `check` and `world` need. */
import { fileURLToPath } from 'node:url';
import { processCode } from '../service/lists/reading/bundle.mjs';
import { bundle, cssText, inputsOf, node, smallForBrowser } from './esbuild.mjs';
import { rawText } from './raw-text.mjs';

/**
 * These packages have 500 modules together. Node takes longer to find and read them than for all others. Everything else
 * is loaded from node_modules.
 */
const manyModules = {
  name: 'many-modules',
  setup(build) {
    build.onResolve({ filter: /^(kysely|@sinclair\/typebox)(\/|$)/ }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
      sideEffects: false,
    }));
  },
};

export async function makePrograms(out) {
  return inputsOf(await Promise.all([buildService(out), buildWorld(out), buildDashboard(out)]));
}

/** The service and the commands. Code for the database is in separate files, which are loaded only with a database. */
function buildService(out) {
  const options = {
    ...node,
    entryPoints: {
      'service/main': 'src/service/app/main.ts',
      'service/run': 'src/service/app/run.ts',
      'admin/main': 'src/cli/main.ts',
      'check/main': 'src/cli/check/main.ts',
    },
    outdir: 'dist',
    chunkNames: 'service/parts/[name]-[hash]',
    plugins: [cssText, processCode, rawText, manyModules],
    splitting: true,
  };
  return bundle(options, out);
}

/** The scripted name servers and mail servers on loopback, as a command. They belong to the tests and are not published. */
function buildWorld(out) {
  return bundle({ ...node, entryPoints: ['test/engine/world/main.ts'], outdir: 'dist/world' }, out);
}

/** The dashboard's script. Its pages also work without scripts. */
function buildDashboard(out) {
  const entryPoints = ['src/dashboard/main.ts'];
  return bundle({ ...smallForBrowser, entryPoints, outfile: 'dist/dashboard.js', format: 'esm' }, out);
}
