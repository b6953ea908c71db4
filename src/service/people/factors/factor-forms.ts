/** The forms in which people give their second factor: at the sign-in, and before what a thief of the session must not do. */
import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { formToken } from '../sessions/page-forms.ts';
import type { Factors } from './factor-store.ts';
import type { SentFactor } from './second-factor.ts';

const CODE = 'confirm_code';
const RECOVERY_CODE = 'confirm_recovery_code';
const PASSKEY = 'confirm_passkey';

/** The fields that are no part of what the person confirms. */
export const FACTOR_FIELDS: readonly string[] = [CODE, RECOVERY_CODE, PASSKEY];

/** The factor in a form that was sent. Undefined if there is none. */
export function readFactor(fields: ReadonlyMap<string, string>): SentFactor | undefined {
  for (const [field, kind] of [
    [PASSKEY, 'passkey'],
    [RECOVERY_CODE, 'recovery-code'],
    [CODE, 'code'],
  ] as const) {
    const text = fields.get(field);
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}

/** What the page shows again if the factor was wrong. */
const WRONG: Readonly<Record<SentFactor['kind'], string>> = {
  code: 'The code is wrong, or was used before. Wait for the next one, and type that.',
  'recovery-code': 'The recovery code is wrong, or was used before.',
  passkey: 'The passkey was not accepted. Try again.',
};

export const wrongFactor = ({ kind }: SentFactor): string => WRONG[kind];

export interface FactorForms {
  /** Where the forms lead. */
  readonly action: string;
  /** Further fields of each form. */
  readonly kept: Iterable<readonly [string, string]>;
  readonly factors: Factors;
  /** What the browser needs to ask for a passkey. Absent where there can be none. */
  readonly options: object | undefined;
  /** What the buttons do, such as `Sign in`. */
  readonly button: string;
  readonly passkeyButton: string;
  /** The kind that was wrong. */
  readonly wrong?: SentFactor['kind'] | undefined;
}

export function factorForms(request: FastifyRequest, forms: FactorForms): Html {
  const { action, kept, factors, options, button, passkeyButton, wrong } = forms;
  const fields = [...formToken(request), ...hidden(kept)];
  const { hasApp, passkeys, codes } = factors;
  const described = (kind: SentFactor['kind'], isFirst: boolean) =>
    html`${kind === wrong && html` aria-describedby="problem" aria-invalid="true"`}${(wrong === undefined ? isFirst : kind === wrong) && html` autofocus`}`;
  return html`${
    hasApp &&
    html`<form class="box" method="post" action="${action}">
${fields}
<p class="field"><label for="code">Code from your authenticator app</label>
<input id="code" name="${CODE}" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${described('code', true)}></p>
<p><button class="primary">${button}</button></p>
</form>`
  }
${
  passkeys > 0 &&
  options &&
  html`<form class="box" method="post" action="${action}" data-passkey="get" data-options="${JSON.stringify(options)}">
${fields}
<input type="hidden" name="${PASSKEY}" value="" disabled>
${NEEDS_SCRIPTS}
<p><button${!hasApp && html` class="primary"`} hidden>${passkeyButton}</button></p>
</form>`
}
${
  codes > 0 &&
  html`<form class="box" method="post" action="${action}">
${fields}
<p class="field"><label for="recovery-code">Recovery code</label>
<input id="recovery-code" name="${RECOVERY_CODE}" maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false" required${described('recovery-code', false)}></p>
<p><button>Use a recovery code</button></p>
</form>`
}`;
}

/** Beside each button of a passkey. */
export const NEEDS_SCRIPTS = html`<noscript><p class="note">Passkeys need JavaScript, which is off in this browser.</p></noscript>`;
