/** The form fields of a new or an existing app. */
import { sha256 } from '../../../shared/sha256.ts';
import type { App } from '../../oauth/apps/app-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { checkField, type Fault, type Fields, linesField, textField } from '../form-fields.ts';

/** The field values of a stored app. */
export const typedOf = (app: App): Fields =>
  new Map([
    ['name', app.name],
    ['redirect_uris', app.redirect_uris.join('\n')],
    ['device', app.allows_device ? 'yes' : ''],
  ]);

/** Identifies the settings that the page showed, to detect a change by somebody else. */
export const seenOf = (app: App): string =>
  sha256(JSON.stringify([app.client_id, ...typedOf(app).values()])).slice(0, 32);

export function appFields(typed: Fields, fault: Fault | undefined): Html {
  return html`${textField({
    ...{ label: 'Name', name: 'name', value: typed.get('name') ?? '', fault, isRequired: true },
    hint: 'People see it when the app asks for access.',
  })}
${linesField({
  ...{ label: 'Redirect URIs', name: 'redirect_uris', value: typed.get('redirect_uris') ?? '', fault },
  hint: html`One on each line, such as https://app.example/callback. The app must send exactly the same text. An app without a secret may use any port of <code>http://127.0.0.1</code> and <code>http://[::1]</code>. <code>urn:ietf:wg:oauth:2.0:oob</code> shows the code to copy.`,
})}
${checkField({
  ...{ label: 'Allow the device flow', name: 'device', isChecked: typed.get('device') === 'yes', fault },
  hint: 'For command-line programs and televisions: people type a short code on another device.',
})}`;
}
