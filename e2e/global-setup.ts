/** Checks once, before all tests, that the build exists. */
import { assertBuilt } from './widget-files.ts';

export default assertBuilt;
