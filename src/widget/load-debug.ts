/** Loads the file for the option `debug`, which explains what the widget does. */

import { addLink } from './prototypes.ts';

/** The hash of that file. The build sets it. */
declare const DEBUG_INTEGRITY: string;

/** The part of the script's URL after its folder: `/v2/widget.js`, `/v2/` and `/v2` are all in `/v2/`. */
const REST = /\/?([^/?#]*\.m?js)?([?#].*)?$/;

/**
 * The file is in the script's folder; for an inline script, in the site's root. If the script's tag has `integrity`,
 * the browser also checks the hash of this file. `import()` takes no hash, but it uses the preloaded file.
 */
export const loadDebugBeside = (script: HTMLScriptElement | null): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const href = (script?.src ?? '').replace(REST, '/email-verify-widget-debug.js');
    addLink({
      rel: 'modulepreload',
      href,
      integrity: script?.integrity && DEBUG_INTEGRITY,
      onload: () => resolve(import(href)),
      onerror: () => reject(`debug: Expected ${href}.`),
    });
  });
