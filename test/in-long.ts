import { it } from 'vitest';
import { isLong } from './long.mjs';

const noTest = Object.assign(() => {}, { each: () => () => {} });

/**
 * A test that `npm test` leaves to `npm run test:long`. SHORTER in long.mjs says why, for each file. A run that names a
 * test file has it, too.
 */
export const inLong = (isLong || process.env.TEST_NAMES_FILES ? it : noTest) as typeof it;
