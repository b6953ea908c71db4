/** Lets esbuild follow `import text from './x.js?raw'`: the file's text. Vite, and so vitest, can do this by itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const rawText = {
  name: 'raw-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?raw$/, '')),
      namespace: 'raw',
    }));
    onLoad({ filter: /./, namespace: 'raw' }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').trim(),
      loader: 'text',
    }));
  },
};
