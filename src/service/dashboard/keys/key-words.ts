/** Texts about a key: its name, its state, and its restrictions. */
import { figure } from '../../core/format.ts';
import type { FormerValue, OwnKey } from '../../keys/manage/manage-keys-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { moment } from '../moment.ts';

type Named = Pick<OwnKey, 'name' | 'mode' | 'last4'>;

/** The end of the value tells keys apart. Only the owner knows the rest. */
export const shortValue = ({ mode, last4 }: Named): string => `${mode}_…${last4}`;

/** The operator may have made a key without a name. */
export const nameOf = (key: Named): string => key.name ?? `Key ${shortValue(key)}`;

export const CAPTCHAS = { turnstile: 'Turnstile', hcaptcha: 'hCaptcha', recaptcha: 'reCAPTCHA' } as const;

export const kindOf = ({ kind, mode }: Pick<OwnKey, 'kind' | 'mode'>): string =>
  `${kind === 'public' ? 'Public' : 'Private'}, ${mode}`;

/** Where a key works, in a few words. */
export function restrictionsOf(key: OwnKey): Html {
  const captcha = key.captcha_provider && html`, with ${CAPTCHAS[key.captcha_provider]}`;
  if (key.kind === 'public') return html`${fewOf(key.trusted_domains)}${captcha ?? undefined}`;
  return key.trusted_ips.length === 0 ? html`every IP address` : fewOf(key.trusted_ips);
}

/** How many entries of a list a table shows. */
const FEW = 2;

function fewOf(entries: readonly string[]): Html {
  const shown = entries.slice(0, FEW).map((entry, index) => html`${index > 0 && ', '}<bdi>${entry}</bdi>`);
  const more = entries.length - FEW;
  return html`${shown}${more > 0 && ` and ${more} more`}`;
}

/** How many credits the key has spent today. */
export function spendingOf({ spent_today, daily_credits }: OwnKey): Html {
  if (daily_credits === null) return html`${figure(spent_today)}`;
  const words = html`${figure(spent_today)} of ${figure(daily_credits)}`;
  return isNearlySpent({ spent_today, daily_credits })
    ? html`<span class="state risky">${words}</span>`
    : words;
}

/** The share of a key's credits of the day from which its owner is told. */
const NEARLY = 0.8;

export const isNearlySpent = (key: Pick<OwnKey, 'spent_today' | 'daily_credits'>): boolean =>
  key.daily_credits !== null && key.spent_today >= key.daily_credits * NEARLY;

/** @param former the values of this key from before rolls */
export function stateOf(key: OwnKey, former: readonly FormerValue[]): Html {
  if (key.revoked_at) return html`<span class="state ended">revoked</span> ${moment(key.revoked_at)}`;
  const last = former.at(-1);
  if (!last) return html`<span class="state active">active</span>`;
  return html`<span class="state ending">old value works</span> until ${moment(last.expires_at)}`;
}

export const lastUse = ({ last_used_at }: OwnKey): Html =>
  last_used_at ? moment(last_used_at) : html`never`;
