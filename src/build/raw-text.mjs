/** Lets esbuild follow `import text from './x.js?raw'`: the file's text. Vite, and so vitest, can do this by itself. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const rawText = {
  name: 'raw-text',
  setup({ onResolve, onLoad }) {
    // The path is in a comment of the output, which has no path of this machine.
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: relative(process.cwd(), join(resolveDir, path.replace(/\?raw$/, ''))),
      namespace: 'raw',
    }));
    onLoad({ filter: /./, namespace: 'raw' }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').trim(),
      loader: 'text',
    }));
  },
};
