/** Loads the widget's other files from the folder of its script. */

import type { Load } from './awake.ts';
import { addToBody, detach } from './prototypes.ts';

/** Written in by the build: the hashes of those files, and the script's version. */
declare const DEBUG_INTEGRITY: string;
declare const FACE_INTEGRITY: string;
declare const VERSION: string;

/** The part of the Trusted Types API that this file uses. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(given: string): string };
}

/**
 * The face is always held to its hash, and other files where the script's tag has `integrity`. An inline script has no
 * folder: its files are in the site's root, and its face is at the service.
 *
 * The file is loaded by a script element, because WebKit runs a preloaded module without comparing it with its hash. A
 * page under Trusted Types may forbid our policy. Then the file is not loaded: no file is better than an unchecked one.
 */
export const loadBeside =
  ({ src, integrity, nonce }: HTMLScriptElement): Load =>
  (baseUrl) =>
    new Promise((resolve, reject) => {
      const folder = baseUrl && !/^http/.test(src) ? baseUrl.replace(/\/*$/, '/v2/') : src;
      const url = folder.replace(
        // The part of a script's URL after its folder: `/v2/widget.js`, `/v2/` and `/v2` are all in `/v2/`.
        /\/?([^/?#]*\.m?js)?([?#].*)?$/,
        `/email-verify-widget-${baseUrl ? `status.js?v=${VERSION}` : 'debug.js'}`,
      );
      const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
      const end =
        (settle: (reason: string) => void) =>
        ({ target }: Event) => {
          detach(target as Node);
          // Browsers do not tell a page which of the two it was.
          settle(`Expected ${url}, got none or another. Serve the files of one build.`);
        };
      addToBody('script', {
        type: 'module',
        src:
          trustedTypes
            ?.createPolicy('email-verify-widget', { createScriptURL: () => url })
            .createScriptURL('') ?? url,
        integrity: baseUrl ? FACE_INTEGRITY : integrity && DEBUG_INTEGRITY,
        nonce,
        onload: end(resolve),
        onerror: end(reject),
      });
    });
