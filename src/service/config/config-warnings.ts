/** Finds settings that are allowed but probably do not do what the operator expects. */
import { parse as parseDomain } from 'tldts';
import { normaliseHost } from '../../shared/host-name.ts';
import type { Settings } from './load-settings.ts';

export interface ConfigWarning {
  /** Such as `keys[0].trustedDomains[1]`. Never the value, because a key may be in the wrong place. */
  readonly place: string;
  readonly advice: string;
}

const SHARED_DOMAIN =
  'Anyone can publish a page under this domain and use the key there. Use the host of your own site instead, such as "you.github.io".';
const LIVE_KEY =
  'Requests with this key get a 503, because it has no account. Create a live key with the admin command.';
const NO_DATABASE =
  'It has no effect, because there are no credits without a database. Set database, or DATABASE_URL.';

const OIDC_WITHOUT_DATABASE =
  'It has no effect, because there are no accounts without a database. Set database, or DATABASE_URL.';

const KEYS_IN_DATABASE = 'It has no effect, because the database has the keys that sign proofs.';

const LIVE_WITHOUT_DATABASE =
  'Live keys still get a 503, because there are no accounts without a database. Set database, or DATABASE_URL.';

const NO_PUBLIC_URL =
  'Links to downloads and OAuth pages begin with the host that the service listens on, but this host means all IP addresses of the machine. Set publicUrl to the URL at which your users reach the service.';

const NO_LINKS =
  'Links to downloads in callbacks begin with the URL of this worker, which does not serve downloads. Set publicUrl to the URL at which your users reach the service.';

const READABLE_KEYS =
  'Every user of this machine can read the keys. Allow only the user of the service to read the file, such as by chmod 600.';

type WarnedSettings = Pick<
  Settings,
  'keys' | 'database' | 'billing' | 'live' | 'host' | 'publicUrl' | 'role'
> &
  Partial<Pick<Settings, 'secrets' | 'proofKeyFile' | 'oidc'>>;

export function findWarnings(settings: WarnedSettings): ConfigWarning[] {
  const { keys, database, billing, live, host, publicUrl, role, secrets, proofKeyFile, oidc } = settings;
  const ofSecrets = secrets?.isOpenToOthers ? [{ place: 'secretsKeyFile', advice: READABLE_KEYS }] : [];
  const ofEntries = keys.flatMap(({ key, trustedDomains = [] }, index) => {
    const place = `keys[${index}]`;
    const warnings = trustedDomains.flatMap((domain, position) =>
      isSharedDomain(domain)
        ? [{ place: `${place}.trustedDomains[${position}]`, advice: SHARED_DOMAIN }]
        : [],
    );
    return key.startsWith('live_') ? [...warnings, { place, advice: LIVE_KEY }] : warnings;
  });
  const ofProofs =
    database && proofKeyFile?.isNamed ? [{ place: 'proofKeyFile', advice: KEYS_IN_DATABASE }] : [];
  const ofKeys = [...ofSecrets, ...ofProofs, ...ofEntries];
  if (database) {
    const isLost = publicUrl === undefined && (host === '0.0.0.0' || host === '::');
    // A worker does not serve the downloads that its callbacks link to.
    if (publicUrl === undefined && role === 'worker')
      return [...ofKeys, { place: 'publicUrl', advice: NO_LINKS }];
    return isLost ? [...ofKeys, { place: 'publicUrl', advice: NO_PUBLIC_URL }] : ofKeys;
  }
  return [
    ...ofKeys,
    ...(billing ? [{ place: 'billing', advice: NO_DATABASE }] : []),
    ...(live ? [{ place: 'live', advice: LIVE_WITHOUT_DATABASE }] : []),
    ...(oidc ? [{ place: 'oidc', advice: OIDC_WITHOUT_DATABASE }] : []),
  ];
}

/** Whether a company hands out names under this one (`github.io`): a private suffix of the public suffix list. */
export function isSharedDomain(domain: string): boolean {
  const host = normaliseHost(domain);
  if (host === undefined) return false;
  const { publicSuffix, isPrivate } = parseDomain(host, { allowPrivateDomains: true });
  return isPrivate === true && publicSuffix === host;
}
