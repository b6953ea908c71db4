/** Starts the service of a build that is whole. */
import { fileURLToPath } from 'node:url';
import { requireOpenFiles } from './open-files.mjs';

requireOpenFiles();
// Loads many files, so the check comes first.
const { run } = await import('./run.ts');
await run({ folder: fileURLToPath(new URL('../..', import.meta.url)), parameters: process.argv.slice(2) });
