/**
 * Starts the service from its sources, if it may open enough files.
 *
 *   node src/build/start.mjs [parameters of the service]
 */
import { requireOpenFiles } from '../service/app/open-files.mjs';

requireOpenFiles();
// Loads many files, so the check comes first.
await import('./run.mjs');
