import type { Plugin } from 'esbuild';

/** See `bundle.mjs`. */
export function bundleProcess(entry: string): Promise<string>;
export const processCode: Plugin;
