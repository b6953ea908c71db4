/** The recent refusals of a key, and what its owner can do about them. */
import { hostOfOrigin } from '../../../shared/host-name.ts';
import { isIpOrRange } from '../../../shared/ip.ts';
import { checkDomain } from '../../config/sections/keys-section.ts';
import type { KeyRefusal, OwnKey } from '../../keys/manage/manage-keys-store.ts';
import { trustDomains } from '../../keys/trusted-domains.ts';
import { trustIps } from '../../keys/trusted-ips.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { moment } from '../moment.ts';

/** Whether the same request would still be refused. */
export function isOpen(key: OwnKey, { reason, seen_from }: KeyRefusal): boolean {
  if (reason === 'origin') return !trustDomains(key.trusted_domains)(seen_from);
  if (reason === 'ip') return key.trusted_ips.length > 0 && !trustIps(key.trusted_ips)(seen_from);
  return true;
}

/** @returns the entry that would let the key work there */
export function trustable(
  key: OwnKey,
  { reason, seen_from }: Pick<KeyRefusal, 'reason' | 'seen_from'>,
): string | undefined {
  if (key.revoked_at) return undefined;
  if (key.kind === 'private') return reason === 'ip' && isIpOrRange(seen_from) ? seen_from : undefined;
  const host = reason === 'origin' ? hostOfOrigin(seen_from) : undefined;
  return host !== undefined && isOwnDomain(host) ? host : undefined;
}

function isOwnDomain(host: string): boolean {
  try {
    checkDomain(host, 'host');
    return true;
  } catch {
    return false;
  }
}

const WORDS: Readonly<Record<KeyRefusal['reason'], (from: string) => Html>> = {
  origin: (from) =>
    from === '' || from === 'null'
      ? html`by a program, or by a page without an origin`
      : html`by a page of <bdi>${from}</bdi>`,
  ip: (from) => html`from <bdi>${from}</bdi>`,
  captcha: (from) => html`without a solved captcha${from !== '' && html`, from <bdi>${from}</bdi>`}`,
};

/** @param action the path of the form @param token the hidden fields of every form */
export function refusalList(
  key: OwnKey,
  refusals: readonly KeyRefusal[],
  trust: { readonly action: string; readonly token: Html[] } | undefined,
): Html | undefined {
  const open = refusals.filter((refusal) => isOpen(key, refusal));
  if (open.length === 0) return undefined;
  const items = open.map((refusal) => {
    const entry = trustable(key, refusal);
    return html`<li class="split"><span>${WORDS[refusal.reason](refusal.seen_from)}, ${refusal.count === 1 ? 'once' : `${refusal.count} times`}, last ${moment(refusal.last_at)}</span>
${
  trust &&
  entry !== undefined &&
  html`<form method="post" action="${trust.action}">${trust.token}${hidden([['from', refusal.seen_from]])}<button class="small">Trust <bdi>${entry}</bdi></button></form>`
}</li>`;
  });
  return html`<section class="box" id="refusals" aria-labelledby="refusals-title">
<h2 id="refusals-title">Refused lately</h2>
<p class="warning">These requests with the key were refused. Trust only domains and IP addresses of your own.</p>
<ul class="plain">${items}</ul>
</section>`;
}
