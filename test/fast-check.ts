/** What tests import as `fast-check`: the library, with the seed of the run for every property. */
import fc from '../node_modules/fast-check/lib/fast-check.js';
import { SEED } from './long.mjs';

fc.configureGlobal({ seed: SEED });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default fc;
