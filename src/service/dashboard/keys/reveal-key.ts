/** Shows the new value of a key, once, and how to use it. */
import type { FastifyReply } from 'fastify';
import { isSharedDomain } from '../../config/config-warnings.ts';
import type { Deps } from '../../deps/deps.ts';
import type { RevealedKey } from '../../keys/key-store.ts';
import { trustDomains } from '../../keys/trusted-domains.ts';
import { type Html, html } from '../../pages/html.ts';
import { outcome } from '../../pages/page-layout.ts';
import type { DashboardScope, Visit } from '../visit.ts';
import { KEYS } from './key-list.ts';
import { nameOf } from './key-words.ts';
import { playgroundLink, snippetBox } from './snippet-box.ts';

export interface Reveal {
  readonly key: RevealedKey;
  readonly title: string;
  /** States what happened, and asks the owner to copy the value. */
  readonly lead: string;
}

export function revealKey(
  { site, send }: Visit,
  scope: DashboardScope,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  { key, title, lead }: Reveal,
): Promise<FastifyReply> {
  const url = publicUrl.now();
  const next = key.kind === 'public' ? nextForPages(key, scope, url) : nextForServers(key, url);
  return send({
    title,
    main: html`<p class="back"><a href="${site.link(KEYS)}">Keys</a></p>
<h1><bdi>${nameOf(key)}</bdi></h1>
${outcome(lead)}
<section class="box" aria-labelledby="value-title">
<h2 id="value-title">Your key</h2>
<p class="copied"><code class="code" id="new-key">${key.key}</code>
<button type="button" class="primary" data-copy="new-key" hidden>Copy key</button></p>
<p class="note">The service stores only a digest of the key. If you lose it, <a href="${site.link(`${KEYS}/${key.id}`)}">roll the key</a>.</p>
</section>
${next}
<p><a class="button" href="${site.link(`${KEYS}/${key.id}`)}">Go to the key</a></p>`,
  });
}

function nextForPages(key: RevealedKey, { site, playground }: DashboardScope, url: string): Html {
  // The playground is a page of this service, so the key must trust this host.
  const isTrustedHere = trustDomains(key.trusted_domains)(new URL(url).origin);
  return html`${key.trusted_domains.filter(isSharedDomain).map(sharedWarning)}
${snippetBox({ key, value: key.key, url, site, chosen: new Map() })}
${playground && playgroundLink(site, isTrustedHere ? { apiKey: key.key } : {})}`;
}

export const sharedWarning = (domain: string): Html =>
  html`<p class="warning">Anyone can publish a page under <bdi>${domain}</bdi> and use the key there. Trust the host of your own site instead, such as you.${domain}.</p>`;

/** A test key gets a sample address with a documented result. A live key can verify any address. */
function nextForServers({ mode, key }: RevealedKey, url: string): Html {
  const address = mode === 'test' ? 'deliverable@example.com' : 'you@your-domain.example';
  const command = `curl -H 'Authorization: Bearer ${key}' \\
  '${url}/v1/verify?email=${address}'`;
  return html`<section class="box" aria-labelledby="next-title">
<h2 id="next-title">Try it</h2>
<p>Run this in a terminal. Keep the key on your server, and out of pages and repositories.</p>
<pre class="wrapped"><code id="command">${command}</code></pre>
<p><button type="button" data-copy="command" hidden>Copy command</button></p>
</section>`;
}
