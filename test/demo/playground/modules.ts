import { resolve } from 'node:path';

/** The demo's scripts, which browsers run as they are: they have no types. */
export const importDemo = (path: string) => import(resolve('demo', path));
