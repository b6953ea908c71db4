/** Says once, before any test, that there is nothing to test yet. */
import { assertBuilt } from './widget-files.ts';

export default assertBuilt;
