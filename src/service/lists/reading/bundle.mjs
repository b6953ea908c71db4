/** Makes the script that a process of the service runs from a text. The build, the tests and the bench share it. */
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/**
 * It has all packages in it, because a script that is not a file cannot find them.
 *
 * @param {string} entry a module
 * @returns {Promise<string>} CommonJS, as `node -` wants it
 */
export async function bundleProcess(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    logLevel: 'warning',
    write: false,
  });
  return outputFiles[0].text;
}

/** Lets esbuild follow `import code from './x.ts?bundle'`: the script with all that the module imports. */
export const processCode = {
  name: 'process-code',
  setup({ onResolve, onLoad }) {
    // The path is in a comment of the output, which has no path of this machine.
    onResolve({ filter: /\?bundle$/ }, ({ path, resolveDir }) => ({
      path: relative(process.cwd(), join(resolveDir, path.replace(/\?bundle$/, ''))),
      namespace: 'bundle',
    }));
    onLoad({ filter: /./, namespace: 'bundle' }, async ({ path }) => ({
      contents: await bundleProcess(path),
      loader: 'text',
    }));
  },
};
