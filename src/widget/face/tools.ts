/** What the face uses of the platform. The widget hands it over, as it was when the widget was loaded. */

import type { Tools } from '../seam.ts';

export let AbortController: Tools['AbortController'];
export let append: Tools['append'];
export let create: Tools['create'];
export let detach: Tools['detach'];
export let findAll: Tools['findAll'];
export let matches: Tools['matches'];

export const take = (tools: Tools): void => {
  ({ AbortController, append, create, detach, findAll, matches } = tools);
};
