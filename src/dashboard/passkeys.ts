/**
 * Forms whose button makes or asks for a passkey: `<form data-passkey="…">` with a hidden field, which gets the browser's
 * response. `create` has a button that also works as an ordinary one. The buttons of the others are hidden until here.
 */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { make } from './make.ts';

/** Shorter than the service accepts a challenge. */
const ASK_AGAIN_MS = 8 * 60 * 1000;

export function preparePasskeys(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    const button = form.querySelector<HTMLButtonElement>('p > button, button')!;
    const isCreated = form.dataset.passkey === 'create';
    if (!browserSupportsWebAuthn()) {
      if (isCreated) sayInstead(form, button);
      continue;
    }
    button.hidden = false;
    form.addEventListener('submit', (event) => {
      // Without options, the service first asks who it is.
      const isReady = form.dataset.options !== undefined || form.dataset.ask !== undefined;
      if (!fieldOf(form).disabled || !isReady) return;
      event.preventDefault();
      if (button.disabled) return;
      button.disabled = true;
      ask(form)
        .then((response) => send(form, response))
        .catch((error: unknown) => say(form, error))
        .finally(() => {
          button.disabled = false;
        });
    });
    // A page from the browser's memory must not send a used one again.
    addEventListener('pageshow', () => {
      fieldOf(form).disabled = true;
    });
    if (form.dataset.passkey === 'sign-in') void offerInAutofill(form);
  }
}

const fieldOf = (form: HTMLFormElement): HTMLInputElement =>
  form.querySelector<HTMLInputElement>('input[name$="passkey"]')!;

async function ask(form: HTMLFormElement): Promise<object> {
  const optionsJSON = await optionsOf(form);
  return form.dataset.passkey === 'create'
    ? startRegistration({ optionsJSON })
    : startAuthentication({ optionsJSON });
}

/** The sign-in form may stay open for hours, so it asks for a challenge when it needs one. */
async function optionsOf(form: HTMLFormElement) {
  const { options, ask: url } = form.dataset;
  if (options !== undefined) return JSON.parse(options);
  const response = await fetch(url!);
  if (!response.ok) throw new Error('The service did not respond.');
  return response.json();
}

function send(form: HTMLFormElement, response: object): void {
  const field = fieldOf(form);
  field.value = JSON.stringify(response);
  field.disabled = false;
  form.requestSubmit();
}

/** Lets the browser offer passkeys in the field of the email address (conditional UI). */
async function offerInAutofill(form: HTMLFormElement): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  const offer = async () => {
    try {
      const optionsJSON = await optionsOf(form);
      send(form, await startAuthentication({ optionsJSON, useBrowserAutofill: true }));
    } catch {
      // The person does something else, or the browser cannot. The button says what is wrong.
    }
  };
  // A new request ends the one before.
  setInterval(offer, ASK_AGAIN_MS);
  await offer();
}

/** Says why there is no passkey. Browsers do not tell whether the person has cancelled. */
function say(form: HTMLFormElement, error: unknown): void {
  const { code, name } = Object(error) as { readonly code?: string; readonly name?: string };
  const isKnown = code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' || name === 'InvalidStateError';
  const isWrongHost =
    code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID' || name === 'SecurityError';
  const text = isKnown
    ? 'This device has a passkey for you already.'
    : isWrongHost
      ? `Passkeys do not work at ${location.hostname}. Open this page by the host name of the service, or on this machine at localhost.`
      : 'The browser gave no passkey. Try again.';
  const shown = form.querySelector<HTMLElement>('.problem') ?? document.createElement('p');
  shown.className = 'problem';
  shown.setAttribute('role', 'alert');
  form.append(shown);
  shown.textContent = text;
}

function sayInstead(form: HTMLFormElement, button: HTMLButtonElement): void {
  button.disabled = true;
  form.append(make('p', { className: 'note', textContent: 'This browser has no passkeys.' }));
}
