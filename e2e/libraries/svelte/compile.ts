/** Lets a bundle read Svelte's files. */
import { readFileSync } from 'node:fs';
import { compile } from 'svelte/compiler';
import type { Reader } from '../../frameworks/bundle.ts';

export const compileSvelte: Reader = (generate) => ({
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { js } = compile(readFileSync(path, 'utf8'), { filename: path, generate, dev: true });
      return { contents: js.code };
    });
  },
});
