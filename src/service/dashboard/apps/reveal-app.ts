/** Shows the new secret of an app, once, and the URLs that the app needs. */
import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import { outcome } from '../../pages/page-layout.ts';
import type { Visit } from '../visit.ts';
import { APPS } from './app-list.ts';

export interface Reveal {
  readonly title: string;
  /** States what happened, and asks the owner to copy the secret. */
  readonly lead: string;
  readonly name: string;
  readonly clientId: string;
  /** Absent for a public app. */
  readonly secret: string | undefined;
  readonly url: string;
}

export function revealApp({ site, send }: Visit, reveal: Reveal): Promise<FastifyReply> {
  const { title, lead, name, clientId, secret, url } = reveal;
  return send({
    title,
    main: html`<p class="back"><a href="${site.link(APPS)}">Apps</a></p>
<h1><bdi>${name}</bdi></h1>
${outcome(lead)}
<section class="box" aria-labelledby="values-title">
<h2 id="values-title">${secret === undefined ? 'Client id' : 'Client id and secret'}</h2>
${copied('Client id', 'client-id', clientId)}
${secret !== undefined && copied('Client secret', 'client-secret', secret)}
${secret !== undefined && html`<p class="note">The service stores only a digest of the secret. If you lose it, <a href="${site.link(`${APPS}/${clientId}`)}">roll it</a>.</p>`}
</section>
${endpoints(url)}
<p><a class="button" href="${site.link(`${APPS}/${clientId}`)}">Go to the app</a></p>`,
  });
}

/** A value with a button that copies it. */
export const copied = (label: string, id: string, value: string): Html =>
  html`<div class="copied"><p><span class="note">${label}</span> <code class="code" id="${id}">${value}</code></p>
<button type="button" data-copy="${id}" hidden aria-label="Copy: ${label}">Copy</button></div>`;

/** The URLs that the app calls or sends people to. */
export const endpoints = (url: string): Html => html`<section class="box" aria-labelledby="endpoints-title">
<h2 id="endpoints-title">Endpoints</h2>
${copied('Authorization', 'authorize-url', `${url}/oauth/authorize`)}
${copied('Token', 'token-url', `${url}/oauth/token`)}
${copied('Device code', 'device-url', `${url}/oauth/device/code`)}
${copied('Revocation', 'revoke-url', `${url}/oauth/revoke`)}
${copied('Metadata (RFC 8414)', 'metadata-url', `${url}/.well-known/oauth-authorization-server`)}
</section>`;
