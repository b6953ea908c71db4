import type { BuildResult } from 'esbuild';

/** See `build.mjs`. */
export function buildBench(options: { outdir: string; write?: boolean }): Promise<BuildResult>;
