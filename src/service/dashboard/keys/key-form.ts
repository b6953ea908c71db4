/** The form fields of a new or an existing key. */
import { sha256 } from '../../../shared/sha256.ts';
import type { OwnKey } from '../../keys/manage/manage-keys-store.ts';
import { type Html, html } from '../../pages/html.ts';
import {
  checkField,
  type Fault,
  type Fields,
  linesField,
  radioField,
  selectField,
  textField,
} from '../form-fields.ts';
import { CAPTCHAS } from './key-words.ts';
import { type Kind, textOf } from './read-key-form.ts';

/** @returns the field values of a stored key */
export function typedOf(key: OwnKey): Fields {
  return new Map([
    ['name', key.name ?? ''],
    ['trusted_domains', key.trusted_domains.join('\n')],
    ['trusted_ips', key.trusted_ips.join('\n')],
    ['captcha', key.captcha_provider ?? ''],
    ['siteverify_url', key.siteverify_url ?? ''],
    ['daily_credits', String(key.daily_credits ?? '')],
  ]);
}

/**
 * Identifies the settings that the page showed, to detect a change by somebody else. It covers the captcha secret
 * without revealing it.
 */
export const seenOf = (key: OwnKey): string =>
  sha256(
    JSON.stringify([
      key.id,
      ...[key.name, key.trusted_domains, key.trusted_ips],
      ...[key.captcha_provider, key.captcha_secret && sha256(key.captcha_secret), key.siteverify_url],
      key.daily_credits,
    ]),
  ).slice(0, 32);

interface Shown {
  readonly typed: Fields;
  readonly fault?: Fault | undefined;
  /** The key that is changed. */
  readonly stored?: OwnKey | undefined;
}

export const nameField = ({ typed, fault }: Shown): Html =>
  textField({
    ...{ label: 'Name', name: 'name', value: typed.get('name') ?? '', fault, isRequired: true },
    hint: 'A name by which you recognise the key, such as Newsletter form.',
  });

/** Public or private, test or live. Neither can be changed later. */
export function choiceFields(
  { typed, fault }: Shown,
  { takesLive, mayMakeLive }: { readonly takesLive: boolean; readonly mayMakeLive: boolean },
): Html {
  const live = takesLive
    ? html`<strong>Live</strong>: asks the mail servers. Each result costs one credit.`
    : html`<strong>Live</strong>: asks the mail servers. Live verification is not set up on this server. Until the operator sets it up, requests with a live key fail.`;
  return html`${radioField({
    ...{ legend: 'Where will you use it?', name: 'kind', value: typed.get('kind') ?? 'public', fault },
    choices: [
      [
        'public',
        html`<strong>Public</strong>: for the widget on your pages. Anyone can see it, so it works only on domains that you trust.`,
      ],
      ['private', html`<strong>Private</strong>: for your server. Keep it secret.`],
    ],
  })}
${radioField({
  ...{ legend: 'What does it return?', name: 'mode', value: typed.get('mode') ?? 'test', fault },
  choices: [
    ['test', html`<strong>Test</strong>: sample results. They are free.`],
    ...(mayMakeLive ? [['live', live] as const] : []),
  ],
})}`;
}

/** The restrictions of a key of one kind. */
export const restrictionFields = (kind: Kind, shown: Shown): Html =>
  kind === 'public' ? publicFields(shown) : privateFields(shown);

function publicFields({ typed, fault, stored }: Shown): Html {
  const secretHint = stored?.captcha_secret
    ? 'A secret is stored. Type another one to replace it, or leave this empty.'
    : 'The secret that the provider gave you for your site. It is not shown again.';
  return html`${linesField({
    ...{ label: 'Trusted domains', name: 'trusted_domains', fault },
    value: typed.get('trusted_domains') ?? '',
    hint: 'Host names such as shop.example, or URLs of your pages: one on each line, or with commas between them. Its subdomains are trusted too, on every port. To try the key on your own machine, add localhost.',
  })}
${selectField({
  ...{ label: 'Captcha', name: 'captcha', value: textOf(typed, 'captcha'), fault },
  choices: [['', 'No captcha'], ...Object.entries(CAPTCHAS)],
  hint: 'Visitors solve it before an address is verified. It keeps programs from using your key.',
})}
<div class="of-captcha">${textField({ label: 'Captcha secret', name: 'captcha_secret', type: 'password', value: typed.get('captcha_secret') ?? '', maxLength: 1_000, fault, hint: secretHint })}
${textField({
  ...{ label: 'Siteverify URL', name: 'siteverify_url', maxLength: 2_000, fault },
  value: typed.get('siteverify_url') ?? '',
  hint: "Where the service checks captchas. Leave it empty for the provider's own URL.",
})}</div>
${
  stored?.mode !== 'test' &&
  textField({
    ...{ label: 'Credits a day', name: 'daily_credits', value: typed.get('daily_credits') ?? '', fault },
    hint: 'How many credits a live key may spend in a day (UTC). Then it waits for the next day. Leave it empty for no limit.',
  })
}`;
}

function privateFields({ typed, fault, stored }: Shown): Html {
  return html`${linesField({
    ...{ label: 'Trusted IP addresses', name: 'trusted_ips', value: typed.get('trusted_ips') ?? '', fault },
    hint: 'One IP address or range on each line, such as 192.0.2.1 or 2001:db8::/32. If the list is empty, the key works from every IP address.',
  })}
${
  stored !== undefined &&
  stored.trusted_ips.length > 0 &&
  checkField({
    ...{ label: 'Let the key work from every IP address', name: 'any_ip', fault },
    isChecked: typed.get('any_ip') === 'yes',
  })
}`;
}
