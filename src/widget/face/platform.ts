/** What the face uses of the platform. The widget hands it over, as it was when the widget was loaded. */

import type { Platform } from '../seam.ts';

export let create: Platform[0];
export let findAll: Platform[1];
export let AbortController: Platform[2];

export const takePlatform = (...given: Platform): void => {
  [create, findAll, AbortController] = given;
};
