/** Makes pairs of keys. */
// biome-ignore lint/style/noRestrictedImports: the only place that makes pairs.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

const PRIVATE = { type: 'pkcs8', format: 'der' } as const;
const PUBLIC = { type: 'spki', format: 'der' } as const;

/**
 * A new pair of keys. They are read from their encoding, so they share no lock with the job that has made them. Node 20
 * holds that lock while it exports a key as a JWK, and a garbage collection at that moment ends the job, which waits for
 * the lock: the process would stand still for ever.
 */
export function generateKeys(type: 'P-256' | 'ed25519'): { privateKey: KeyObject; publicKey: KeyObject } {
  const { privateKey, publicKey } =
    type === 'P-256' ? generateKeyPairSync('ec', { namedCurve: type }) : generateKeyPairSync(type);
  return {
    privateKey: createPrivateKey({ key: privateKey.export(PRIVATE), ...PRIVATE }),
    publicKey: createPublicKey({ key: publicKey.export(PUBLIC), ...PUBLIC }),
  };
}
