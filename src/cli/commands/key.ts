/** `key …`: keys of the database. What is printed of them has neither the value nor the captcha secret. */
import { SITEVERIFY_URLS } from '../../service/captcha/captcha-providers.ts';
import { quote, UsageError } from '../../service/core/usage-error.ts';
import { type KeyRow, listKeys, type NewKey } from '../../service/keys/key-store.ts';
import {
  changeKey,
  giveNewValue,
  LONGEST_OVERLAP,
  MOST_DAILY_CREDITS,
  makeKey,
  settingsOf,
  stopKey,
} from '../../service/keys/manage/manage-keys.ts';
import { type Command, defineCommand, type Values } from '../command.ts';
import {
  domain,
  givenName,
  ipOrRange,
  oneOf,
  repeatable,
  required,
  text,
  webUrl,
  wholeNumber,
} from '../flags.ts';
import { secretFile } from '../secret-file.ts';
import { OPERATOR } from './operator.ts';
import { accountOf, OWNER } from './owner-flag.ts';

const KEY_ID = required(text('ID', 'The id of the key, from key create or key list.'));

/** For `--id` with an id that belongs to no usable key. */
function noSuchKey(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of a key that is not revoked, got ${quote(id)}. Run key list to see the ids.`,
  );
}

function keyJson(key: KeyRow) {
  const { id, kind, mode, name, trusted_domains, trusted_ips, captcha_provider: captcha } = key;
  const { siteverify_url, daily_credits } = key;
  return { id, kind, mode, name, trusted_domains, trusted_ips, captcha, siteverify_url, daily_credits };
}

const testKeysAreFree = (): UsageError =>
  new UsageError('Expected no --daily-credits for a test key, which costs no credits, got one. Remove it.');

const NEW_KEY = {
  email: OWNER,
  kind: required(oneOf(['public', 'private'], 'A public key is for pages. A private key is for servers.')),
  mode: required(oneOf(['test', 'live'], 'A test key gets sample results and costs no credits.')),
  name: givenName('key', 'A name for the key.'),
  'trusted-domain': repeatable(
    domain('A domain whose pages may use the public key, with all its subdomains. A public key needs one.'),
  ),
  'trusted-ip': repeatable(
    ipOrRange('An IP address or range that may use the private key. Without one, every IP address may.'),
  ),
  captcha: oneOf(
    Object.keys(SITEVERIFY_URLS) as (keyof typeof SITEVERIFY_URLS)[],
    'The provider of the captcha that visitors must solve. Public keys only.',
  ),
  'captcha-secret-file': secretFile({ minimum: 1, maximum: 1000 }, "A file with the provider's secret."),
  'siteverify-url': webUrl("A URL that replaces the captcha provider's own."),
  'daily-credits': wholeNumber(
    { from: 1, to: MOST_DAILY_CREDITS },
    'How many credits a live public key may spend in a day (UTC). Without it, the number is not limited.',
  ),
  key: importedKey(),
} as const;

/**
 * An existing key, so that customers need not change it. It appears in the list of processes. A live key costs its owner
 * credits, so it must be too long to guess.
 */
function importedKey() {
  return {
    ...text(
      'VALUE',
      'Imports this key. It is test_ and 8 characters or more, or live_ and 20 or more, as --mode says. Without it, the command makes a key.',
    ),
    read(value: string, place: string): string {
      if (/^(test_[A-Za-z0-9_-]{8,}|live_[A-Za-z0-9_-]{20,})$/.test(value)) return value;
      throw new UsageError(
        `Expected ${place} to be test_ and 8 or more letters, digits, _ or -, or live_ and 20 or more, got other text. Correct it.`,
      );
    },
  };
}

/** Refuses flags of the other kind of key. They would have no effect, as in the config file. */
function checkNewKey(values: Values<typeof NEW_KEY>): void {
  const { kind, mode, key, captcha } = values;
  const foreign =
    kind === 'public'
      ? (['trusted-ip'] as const)
      : (['trusted-domain', 'captcha', 'captcha-secret-file', 'siteverify-url', 'daily-credits'] as const);
  for (const name of foreign) {
    const value = values[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw new UsageError(`Expected no --${name} with --kind ${kind}, got one. Remove it.`);
  }
  if (kind === 'public' && values['trusted-domain'].length === 0)
    throw new UsageError('Expected --trusted-domain DOMAIN with --kind public, got none. Add it.');
  if (captcha && values['captcha-secret-file'] === undefined)
    throw new UsageError('Expected --captcha-secret-file FILE with --captcha, got none. Add it.');
  for (const name of ['captcha-secret-file', 'siteverify-url'] as const) {
    if (captcha || values[name] === undefined) continue;
    throw new UsageError(`Expected --captcha with --${name}, got none. Add the provider.`);
  }
  if (mode === 'test' && values['daily-credits'] !== undefined) throw testKeysAreFree();
  if (key !== undefined && !key.startsWith(`${mode}_`)) {
    throw new UsageError(
      `Expected --key to begin with ${mode}_ because of --mode ${mode}, got another beginning. Change one of them.`,
    );
  }
}

function toRow(accountId: string, values: Values<typeof NEW_KEY>): NewKey {
  return {
    account_id: accountId,
    kind: values.kind,
    mode: values.mode,
    name: values.name ?? null,
    trusted_domains: [...values['trusted-domain']],
    trusted_ips: [...values['trusted-ip']],
    captcha_provider: values.captcha ?? null,
    captcha_secret: values['captcha-secret-file'] ?? null,
    siteverify_url: values['siteverify-url'] ?? null,
    daily_credits: values['daily-credits'] ?? null,
  };
}

export const KEY: readonly Command[] = [
  defineCommand({
    words: ['key', 'create'],
    description: 'Creates a key and prints it once. Store it.',
    flags: NEW_KEY,
    example: 'key create --email ada@example.com --kind public --mode test --trusted-domain shop.example',
    check: checkNewKey,
    async run({ db, configKeys }, values) {
      const { email, key: imported } = values;
      const account = await accountOf(db, email);
      const isTaken = imported !== undefined && configKeys.includes(imported);
      const made = isTaken ? 'exists' : await makeKey(db, OPERATOR, toRow(account.id, values), imported);
      if (made === 'exists') {
        throw new UsageError(
          'Expected --key to be a key that is not in use, got one of the database or the config file. Import another.',
        );
      }
      return { key: made.key, ...keyJson(made) };
    },
  }),
  defineCommand({
    words: ['key', 'list'],
    description:
      'Lists the keys of an account, with the revoked ones. It shows only the last 4 characters of each key.',
    flags: { email: OWNER },
    example: 'key list --email ada@example.com',
    async run({ db }, { email }) {
      const account = await accountOf(db, email);
      const keys = await listKeys(db, account.id);
      return keys.map((key) => ({
        ...keyJson(key),
        last4: key.last4,
        created_at: key.created_at.toISOString(),
        last_used_at: key.last_used_at?.toISOString() ?? null,
        revoked_at: key.revoked_at?.toISOString() ?? null,
      }));
    },
  }),
  defineCommand({
    words: ['key', 'update'],
    description:
      'Changes how many credits a live public key may spend in a day. It takes effect within a second.',
    flags: {
      id: KEY_ID,
      'daily-credits': required(
        wholeNumber(
          { from: 0, to: MOST_DAILY_CREDITS },
          'How many credits the key may spend in a day (UTC). 0 removes the limit.',
        ),
      ),
    },
    example: 'key update --id key_0123456789abcdef01234567 --daily-credits 500',
    async run({ db }, { id, 'daily-credits': credits }) {
      let changed: ReturnType<typeof keyJson> | undefined;
      await changeKey(db, OPERATOR, { id }, (key) => {
        if (key.kind === 'private') {
          throw new UsageError(
            'Expected --id to be the id of a public key, got that of a private one. Only public keys have a limit.',
          );
        }
        if (key.mode === 'test') throw testKeysAreFree();
        const settings = { ...settingsOf(key), daily_credits: credits === 0 ? null : credits };
        changed = keyJson({ ...key, ...settings });
        return settings;
      });
      if (!changed) throw noSuchKey(id);
      return changed;
    },
  }),
  defineCommand({
    words: ['key', 'roll'],
    description: 'Replaces the value of a key and prints the new one. The key keeps its id and its settings.',
    flags: {
      id: KEY_ID,
      overlap: wholeNumber(
        { from: 0, to: LONGEST_OVERLAP, placeholder: 'SECONDS' },
        'How long the old value still works, up to 7 days. Without it, the old value stops working at once.',
      ),
    },
    example: 'key roll --id key_0123456789abcdef01234567 --overlap 86400',
    async run({ db }, { id, overlap = 0 }) {
      const rolled = await giveNewValue(db, OPERATOR, { id }, { overlapSeconds: overlap });
      // The other refusal only occurs on outdated pages.
      if (typeof rolled !== 'object') throw noSuchKey(id);
      return { key: rolled.key, ...keyJson(rolled) };
    },
  }),
  defineCommand({
    words: ['key', 'revoke'],
    description:
      'Revokes a key, and the old value of a rolled key. Running services refuse it within a second.',
    flags: { id: KEY_ID },
    example: 'key revoke --id key_0123456789abcdef01234567',
    async run({ db }, { id }) {
      const revokedAt = await stopKey(db, OPERATOR, { id });
      if (!revokedAt) throw noSuchKey(id);
      return { id, revoked_at: revokedAt.toISOString() };
    },
  }),
];
