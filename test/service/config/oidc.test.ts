/** The section `oidc` of the config. */
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/service/config/config-error.ts';
import { findWarnings } from '../../../src/service/config/config-warnings.ts';
import {
  type loadSettings as Load,
  loadLooseSettings,
  loadSettings,
} from '../../../src/service/config/load-settings.ts';
import { messageOf } from '../../message-of.ts';

const OIDC = {
  ...{ name: 'Example Login', issuer: 'https://login.example.com/realms/one', clientId: 'verify' },
  ...{ clientSecretFile: 'secrets/oidc', allowedDomains: ['Example.com', 'bücher.example'] },
};
const ACCOUNT = {
  ...{ account: 'billing@example.com', rolesClaim: 'groups', roles: { admins: 'admin', staff: 'member' } },
};

const FILES: Readonly<Record<string, string>> = {
  '/etc/verify/secrets/oidc': 'the secret\n',
  '/etc/verify/empty': '\n',
};

const load = (oidc: object, variables: Parameters<typeof Load>[1] = {}) =>
  loadSettings('/etc/verify/service.json', variables, (path) => {
    if (path === '/etc/verify/service.json') return JSON.stringify({ database: 'data', oidc });
    const text = FILES[path];
    if (text === undefined) throw Object.assign(new Error(), { code: 'ENOENT' });
    return text;
  }).oidc;

const faultOf = (changes: object) => messageOf(() => load({ ...OIDC, ...changes }), ConfigError);

it('reads the secret from its file, and the domains in lower case and in ASCII', () => {
  expect(load(OIDC)).toEqual({
    ...{ name: 'Example Login', issuer: 'https://login.example.com/realms/one', clientId: 'verify' },
    clientSecret: 'the secret',
    allowedDomains: ['example.com', 'xn--bcher-kva.example'],
    ...{ account: undefined, only: false },
  });
});

it('keeps the groups in their order', () => {
  expect(load({ ...OIDC, ...ACCOUNT, only: true })).toMatchObject({
    account: {
      ...{ email: 'billing@example.com', claim: 'groups' },
      roles: Object.entries({ admins: 'admin', staff: 'member' }),
    },
    only: true,
  });
});

it('takes a public client', () => {
  const { clientSecretFile: _, ...others } = OIDC;
  expect(load(others)!.clientSecret).toBeUndefined();
});

it.each(['http://127.0.0.1:8443', 'http://localhost', 'http://[::1]:80'])('takes the issuer %s', (issuer) => {
  expect(load({ ...OIDC, issuer })!.issuer).toBe(issuer);
});

it.each([
  'http://login.example.com',
  'http://127.0.0.1.evil.example',
  'ftp://login.example.com',
  'login.example.com',
  'https://login.example.com/?tenant=1',
  'https://login.example.com/#one',
  'https://ada:secret@login.example.com',
])('refuses the issuer %s, and says what it expects', (issuer) => {
  const message = faultOf({ issuer });
  expect(message).toContain('Expected oidc.issuer to be an https URL such as "https://login.example.com"');
  expect(message).not.toContain('secret');
});

it.each([
  [{ name: '' }, 'Expected oidc.name to be a text of 1 to 60 characters'],
  [{ name: 'two\nlines' }, 'Expected oidc.name to be a text in one line'],
  [{ clientId: undefined }, 'Expected oidc.clientId to be a text'],
  [{ allowedDomains: [] }, 'Expected oidc.allowedDomains to be a list of at least one domain'],
  [{ allowedDomains: ['example.com', '@example.com'] }, 'Expected oidc.allowedDomains[1] to be a domain'],
  [
    { clientSecretFile: 'missing' },
    'Expected oidc.clientSecretFile to be a readable file, got /etc/verify/missing (ENOENT)',
  ],
  [
    { clientSecretFile: 'empty' },
    'Expected the file of oidc.clientSecretFile to have a secret, got an empty file',
  ],
  [{ secret: 'x' }, 'known names'],
])('refuses %j', (changes, message) => {
  expect(faultOf(changes)).toContain(message);
});

it.each([
  [{ account: 'nobody' }, 'Expected oidc.account to be the email address of an account, got "nobody"'],
  [{ rolesClaim: undefined }, 'Expected oidc.rolesClaim to be the claim with the groups of a person'],
  [{ roles: undefined }, 'Expected oidc.roles to be a role for at least one group'],
  [{ roles: {} }, 'Expected oidc.roles to be a role for at least one group'],
  [{ account: undefined }, 'Expected oidc.account to be the account that oidc.roles are for'],
  [{ roles: { admins: 'owner' } }, 'Expected oidc.roles.admins to be admin, member or viewer, got "owner"'],
  [{ roles: { 'a\nb': 'owner' } }, 'to be admin, member or viewer, got "owner"'],
])('refuses %j beside the other settings of an account', (changes, message) => {
  expect(faultOf({ ...ACCOUNT, ...changes })).toContain(message);
});

it('takes the groups from a variable, as JSON', () => {
  const variables = { EVW_OIDC_ROLES: '{"admins":"viewer"}' };
  expect(load({ ...OIDC, ...ACCOUNT }, variables)!.account!.roles).toEqual([['admins', 'viewer']]);
  const wrong = messageOf(() => load({ ...OIDC, ...ACCOUNT }, { EVW_OIDC_ROLES: 'admins' }), ConfigError);
  expect(wrong).toContain('Expected EVW_OIDC_ROLES to be an object in JSON');
});

it('warns that it has no effect without a database', () => {
  const settings = { ...loadLooseSettings(undefined, {}), oidc: load(OIDC) };
  expect(findWarnings(settings).map(({ place }) => place)).toContain('oidc');
});
