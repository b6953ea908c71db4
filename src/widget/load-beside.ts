/** Loads the widget's other files from the folder of its script. */

import type { Load } from './awake.ts';
import { addLink, detach } from './prototypes.ts';

/** Written in by the build: the hashes of those files, and the script's version. */
declare const DEBUG_INTEGRITY: string;
declare const FACE_INTEGRITY: string;
declare const VERSION: string;

/** The part of a script's URL after its folder: `/v2/widget.js`, `/v2/` and `/v2` are all in `/v2/`. */
const REST = /\/?([^/?#]*\.m?js)?([?#].*)?$/;

/**
 * The face is always held to its hash, and other files where the script's tag has `integrity`. An inline script has no
 * folder: its files are in the site's root, and its face is at the service.
 */
export const loadBeside =
  ({ src, integrity, nonce }: HTMLScriptElement): Load =>
  (baseUrl) =>
    new Promise((resolve, reject) => {
      const url = baseUrl && !/^http/.test(src) ? baseUrl.replace(/\/*$/, '/v2/') : src;
      const link = addLink({
        rel: 'modulepreload',
        href: url.replace(REST, `/email-verify-widget-${baseUrl ? `status.js?v=${VERSION}` : 'debug.js'}`),
        integrity: baseUrl ? FACE_INTEGRITY : integrity && DEBUG_INTEGRITY,
        nonce,
        onload() {
          detach(link);
          // It takes no hash, but it uses the preloaded file.
          resolve(import(link.href));
        },
        onerror: () => reject(`Expected ${link.href}.`),
      }) as HTMLLinkElement;
    });
