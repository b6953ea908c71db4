/** `app …`: the OAuth apps of accounts. */
import { quote, UsageError } from '../../service/core/usage-error.ts';
import { listApps } from '../../service/oauth/apps/app-store.ts';
import { CLIENT_ID } from '../../service/oauth/apps/authenticate-app.ts';
import { makeApp, removeApp } from '../../service/oauth/apps/manage/manage-apps.ts';
import { whyNotRedirectUri } from '../../service/oauth/apps/redirect-uri.ts';
import { type Command, defineCommand, type Values } from '../command.ts';
import { givenName, repeatable, required, text, toggle } from '../flags.ts';
import { OPERATOR } from './operator.ts';
import { accountOf, OWNER } from './owner-flag.ts';

const flags = {
  email: OWNER,
  name: required(givenName('app', 'The name that people see when the app asks for access.')),
  'redirect-uri': repeatable(redirectUri()),
  device: toggle('Lets the app use the device flow, as command lines and televisions do.'),
  public: toggle('Creates the app without a secret. Use it if users of the app could read a secret.'),
  'client-id': importedId(),
} as const;

function redirectUri() {
  return {
    ...text(
      'URI',
      'The URI to which the service sends people back. The app must send exactly this text, but a public app may use any port of 127.0.0.1 and [::1]. With urn:ietf:wg:oauth:2.0:oob, the browser shows the code.',
    ),
    read(value: string, place: string): string {
      const fault = whyNotRedirectUri(value);
      if (fault === undefined) return value;
      throw new UsageError(`Expected ${place} ${fault}, got ${quote(value)}. Correct it.`);
    },
  };
}

/** The id of an existing app, so that the app needs no new release. */
function importedId() {
  return {
    ...text('ID', 'Imports this client id. Without it, the command makes one.'),
    read(value: string, place: string): string {
      if (CLIENT_ID.test(value)) return value;
      throw new UsageError(
        `Expected ${place} to have 10 to 64 letters, digits, _ or -, got ${quote(value)}. Correct it.`,
      );
    },
  };
}

/** An app that can use no flow is a mistake. */
function check({ 'redirect-uri': uris, device }: Values<typeof flags>): void {
  if (uris.length > 0 || device) return;
  throw new UsageError('Expected --redirect-uri URI, --device or both, got none. Add one.');
}

export const APP: readonly Command[] = [
  defineCommand({
    words: ['app', 'create'],
    description:
      'Creates an OAuth app, and prints its secret once. The code flow needs a redirect URI, the device flow needs --device.',
    flags,
    example:
      'app create --email ada@example.com --name Newsletter --redirect-uri https://app.example/callback',
    check,
    async run({ db }, values) {
      const { email, name, 'redirect-uri': redirectUris, device = false, public: isPublic = false } = values;
      const account = await accountOf(db, email);
      const wish = { accountId: account.id, name, redirectUris, allowsDevice: device, isPublic };
      const made = await makeApp(db, OPERATOR, { ...wish, clientId: values['client-id'] });
      if (made === 'exists') {
        throw new UsageError(
          `Expected --client-id to be one without an app, got ${quote(values['client-id'] ?? '')}. Choose another.`,
        );
      }
      return {
        client_id: made.clientId,
        ...(made.clientSecret === undefined ? {} : { client_secret: made.clientSecret }),
        ...{ name, redirect_uris: [...new Set(redirectUris)], device, public: isPublic },
      };
    },
  }),
  defineCommand({
    words: ['app', 'list'],
    description: 'Lists the OAuth apps of an account without their secrets, the oldest first.',
    flags: { email: OWNER },
    example: 'app list --email ada@example.com',
    async run({ db }, { email }) {
      const account = await accountOf(db, email);
      return (await listApps(db, account.id)).map((app) => ({
        ...{ client_id: app.client_id, name: app.name, redirect_uris: app.redirect_uris },
        ...{ device: app.allows_device, public: app.secret === null },
        created_at: app.created_at.toISOString(),
      }));
    },
  }),
  defineCommand({
    words: ['app', 'delete'],
    description: 'Deletes an OAuth app. This ends all its codes and tokens at once, in every account.',
    flags: { 'client-id': required(text('ID', 'The id of the app, from app create or app list.')) },
    example: 'app delete --client-id 0123456789abcdef0123456789abcdef',
    async run({ db }, { 'client-id': clientId }) {
      if (!(await removeApp(db, OPERATOR, { clientId }))) {
        throw new UsageError(
          `Expected --client-id to be the id of an app, got ${quote(clientId)}. Run app list to see the ids.`,
        );
      }
      return { client_id: clientId, deleted: true };
    },
  }),
];
