/**
 * The files of src/house-style/, which all pages share. Pages that the service makes link to paths with a digest. Files
 * such as the demo's pages link to `/house.css`, `/logo.svg` and `/view.js`.
 */
import type { FastifyInstance } from 'fastify';
import rules from '../../house-style/house.css';
import logo from '../../house-style/logo.svg?raw';
import tokens from '../../house-style/tokens.css';
import view from '../../house-style/view.js?raw';
import { pathOf, serveAt, serveForEver } from './build-texts.ts';
import { type Html, html } from './html.ts';
import type { Site } from './page-urls.ts';

const css = `${tokens}\n${rules}`;

const FILES = [
  ['house', 'css', css],
  ['logo', 'svg', logo],
  ['view', 'js', view],
] as const;

const STYLE = pathOf('house', 'css', css);
const LOGO = pathOf('logo', 'svg', logo);
const VIEW = pathOf('view', 'js', view);

/** Has to be added outside the scope of the pages: it needs no cookie and no database. */
export function serveHouseStyle(app: FastifyInstance): void {
  for (const [name, extension, content] of FILES) {
    serveForEver(app, name, extension, content);
    serveAt(app, `/${name}.${extension}`, content);
  }
}

/**
 * What the head of each page holds: the style sheet and the icon. The page's own style sheets come after it.
 *
 * @param hasView whether the masthead of the page has the View disclosure with the colours. Its script must be allowed.
 */
export const houseStyle = (site: Site, hasView = false): Html =>
  html`<link rel="stylesheet" href="${site.link(STYLE)}">
<link rel="icon" href="${site.link(LOGO)}" type="image/svg+xml">
${hasView && html`<script src="${site.link(VIEW)}" data-only="scheme"></script>`}`;
