/** Makes the script that a process of the service runs from a text. The build and the tests share it. */
import { build } from 'esbuild';

/**
 * It has all packages in it, because a script that is not a file cannot find them.
 *
 * @param {string} entry a module
 * @returns {Promise<string>} CommonJS, as `node -` wants it
 */
export async function bundleThread(entry) {
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
