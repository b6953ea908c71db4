/**
 * What a page leaves open, because only the running service knows it: `@@name@@` for a value, and `@@if part@@…@@end@@`
 * around what only a service with that part has. `fillPage` of the service fills them in.
 */
import { type Html, html } from '../../src/service/pages/html.ts';
import { createSite, type Site, type SitePart } from '../../src/service/pages/page-urls.ts';

/** Its links begin where a reverse proxy serves the pages. */
export const SITE: Site = { ...createSite(undefined), link: (path) => `@@root@@${path}` };

/** @param part undefined for what every service has */
export const onlyWith = (part: SitePart | undefined, content: Html): Html =>
  part === undefined ? content : html`@@if ${part}@@${content}@@end@@`;
