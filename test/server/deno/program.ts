/** The program of Deno, which few tests need. */
import { toolFile } from '../../../.ci/tools/tools.mjs';

/** @returns its path. The script of its package puts it there, from the package for this system */
export const denoProgram = (): string => toolFile('deno/deno');

/** Keeps what it writes in a folder, and from asking for its newest version. */
export const denoEnvironment = (folder: string) => ({ DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' });
