/** The section `oidc`: single sign-on through an OpenID provider. */
import { type Static, Type } from '@sinclair/typebox';
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { isAddress } from '../../../engine/address/syntax.ts';
import { ConfigError } from '../config-error.ts';
import { type ReadFile, readSecret } from '../read-secret.ts';
import { optionalPath, optionalText, refuse, section, yesNo } from './shared-schemas.ts';

/** What a group may give. Nobody becomes an owner by a group. */
const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];

/** A button must have room for the name. */
const LONGEST_NAME = 60;

const text = (expected: string, description: string, maxLength = 500) =>
  Type.String({ minLength: 1, maxLength, expected, description });

export const OidcSchema = section(
  {
    name: text(
      `a text of 1 to ${LONGEST_NAME} characters`,
      'What your people call the provider. It is on the button *Sign in with NAME*.',
      LONGEST_NAME,
    ),
    issuer: text(
      'an https URL such as "https://login.example.com"',
      'The issuer of the provider, exactly as its metadata has it. The service reads the metadata below `/.well-known/openid-configuration`. A provider on this machine may have an http URL.',
    ),
    clientId: text(
      'a text of 1 to 500 characters',
      'The client id that the provider has given to this service.',
    ),
    clientSecretFile: optionalPath(
      'file',
      'A file with the client secret. Leave it out only for a public client. A relative path is relative to the same folder as that of `database`.',
    ),
    allowedDomains: Type.Array(Type.String({ minLength: 1, expected: 'a domain such as "example.com"' }), {
      minItems: 1,
      maxItems: 256,
      expected: 'a list of at least one domain',
      description:
        'The domains whose addresses the provider may vouch for, such as `["example.com"]`. At the first sign-in, the provider must say that it has verified the address. Subdomains count only if they are in the list.',
    }),
    rolesClaim: Type.Optional(
      text(
        'a text of 1 to 500 characters',
        'The claim with the groups of a person, such as `groups`. Required with `oidc.account`.',
      ),
    ),
    roles: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: Type.Union(
            GIVEN_ROLES.map((role) => Type.Literal(role)),
            { expected: 'admin, member or viewer' },
          ),
          expected: 'an object with a role for each group',
          description:
            'The role that each group gives in `oidc.account`: admin, member or viewer, such as `{"verify-admins": "admin"}`. The first group of this list that the person has decides. Required with `oidc.account`.',
        },
      ),
    ),
    account: optionalText(
      'the email address of an account',
      'The account that people become members of at their first sign-in, by its email address. Without it, only people who are known here already, or who have an invitation, can sign in.',
      { minLength: 1 },
    ),
    only: yesNo(
      'Whether people can sign in through the provider only. [A link](operations.md#somebody-cannot-sign-in) lets the operator in when the provider does not.',
      false,
    ),
  },
  {
    title: 'Single sign-on',
    description:
      'Lets people sign in through an OpenID provider. See [Single sign-on](operations.md#single-sign-on).',
    expected: 'an object with name, issuer, clientId and allowedDomains',
  },
);
export type OidcSection = Static<typeof OidcSchema>;

/** Who becomes a member of an account, and with which role. */
export interface OidcAccount {
  readonly email: string;
  /** The claim that has the groups of a person. */
  readonly claim: string;
  /** The roles by group. The first group that a person has decides. */
  readonly roles: readonly (readonly [group: string, role: GivenRole])[];
}

/** The section with its secret and its defaults. */
export interface OidcSettings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** `undefined` for a public client. */
  readonly clientSecret: string | undefined;
  /** In lower case, and in ASCII. */
  readonly allowedDomains: readonly string[];
  readonly account: OidcAccount | undefined;
  readonly only: boolean;
}

/** @throws {ConfigError} for the first value that cannot work */
export function checkOidc({ name, issuer, allowedDomains, rolesClaim, roles, account }: OidcSection): void {
  refuse(/\p{Cc}/u.test(name), 'oidc.name', 'a text in one line', name);
  refuse(
    !isIssuer(issuer),
    'oidc.issuer',
    'an https URL such as "https://login.example.com", or an http URL of this machine, without a query',
    URL.canParse(issuer) && new URL(issuer).password !== '' ? undefined : issuer,
    'one with a password',
  );
  for (const [index, domain] of allowedDomains.entries()) {
    const isWrong = toAsciiDomain(domain) === undefined;
    refuse(isWrong, `oidc.allowedDomains[${index}]`, 'a domain such as "example.com"', domain);
  }
  if (account === undefined) {
    if (rolesClaim === undefined && roles === undefined) return;
    throw missing('oidc.account', 'the account that oidc.roles are for');
  }
  refuse(!isAddress(account), 'oidc.account', 'the email address of an account', account);
  if (rolesClaim === undefined)
    throw missing('oidc.rolesClaim', 'the claim with the groups of a person, because oidc.account is set');
  if (Object.keys(roles ?? {}).length === 0)
    throw missing('oidc.roles', 'a role for at least one group, because oidc.account is set');
}

const missing = (place: string, expected: string) =>
  new ConfigError(`Expected ${place} to be ${expected}, got nothing.`);

/** OpenID Connect Discovery 1.0, section 3. On this machine, nobody is between the service and an http URL. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || /[?#]/.test(text) || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url));
}

/** Whether the host of a URL is this machine, however a resolver is set up. */
export const isThisMachine = ({ hostname }: URL): boolean =>
  /^(127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname);

/**
 * Reads the secret, and fills in the defaults.
 *
 * @param clientSecretFile the whole path of the file @throws {ConfigError} for a file without a secret
 */
export function settleOidc(
  { name, issuer, clientId, allowedDomains, rolesClaim, roles, account, only = false }: OidcSection,
  clientSecretFile: string | undefined,
  readFile: ReadFile,
): OidcSettings {
  return {
    ...{ name, issuer, clientId, only },
    clientSecret: clientSecretFile === undefined ? undefined : readClientSecret(clientSecretFile, readFile),
    allowedDomains: allowedDomains.map((domain) => toAsciiDomain(domain)!),
    account:
      account === undefined
        ? undefined
        : { email: account, claim: rolesClaim!, roles: Object.entries(roles!) as [string, GivenRole][] },
  };
}

function readClientSecret(path: string, readFile: ReadFile): string {
  const unreadable = (code: string) =>
    new ConfigError(`Expected oidc.clientSecretFile to be a readable file, got ${path} (${code}).`);
  const secret = readSecret(path, readFile, unreadable);
  if (secret !== '') return secret;
  throw new ConfigError('Expected the file of oidc.clientSecretFile to have a secret, got an empty file.');
}
