/** The dashboard's style sheet and script. Each has its digest in its URL, so browsers can cache it for ever. */
import type { FastifyInstance } from 'fastify';
import { serveForEver } from '../pages/build-texts.ts';
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import css from './dashboard.css';

/** Serves both. @returns the tags for the head of each page */
export function serveAssets(app: FastifyInstance, script: string | undefined): (site: Site) => Html {
  const style = serveForEver(app, 'dashboard', 'css', css);
  const code = script === undefined ? undefined : serveForEver(app, 'dashboard', 'js', script);
  return (site) => html`<link rel="stylesheet" href="${site.link(style)}">
${code !== undefined && html`<script type="module" src="${site.link(code)}"></script>`}`;
}
