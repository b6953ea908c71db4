/** All keys of the service: first the config's, then the database's. */
import type { ConfigKeys } from './config-keys.ts';
import type { KeyRing } from './key.ts';

/** @param stored absent in a service without a database */
export function joinKeys(config: ConfigKeys, stored: KeyRing | undefined): KeyRing {
  if (!stored) return config;
  return {
    find: (value) => config.find(value) ?? stored.find(value),
    findAccessToken: stored.findAccessToken,
    anyTrustsOrigin: (origin) => config.anyTrustsOrigin(origin) || stored.anyTrustsOrigin(origin),
  };
}
