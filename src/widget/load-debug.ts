/** How the script loads the file that explains it (`debug`). */

import { addLink } from './prototypes.ts';

/** Written in by the build: the digest of that file. */
declare const DEBUG_INTEGRITY: string;

/** What follows the script's folder in its address: `/v2/widget.js`, `/v2/` and `/v2` are all in `/v2/`. */
const REST = /\/?([^/?#]*\.m?js)?([?#].*)?$/;

/**
 * The file is in the script's own folder; for an inline script, in the site's root. Where the script's tag has
 * `integrity`, the file is held to the digest that the script carries. `import()` takes no digest, but it gets what
 * was preloaded.
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
