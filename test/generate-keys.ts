/** Pairs of keys for `jose`. */
// biome-ignore lint/style/noRestrictedImports: the only place that makes pairs.
import { exportPKCS8, exportSPKI, generateKeyPair, importPKCS8, importSPKI } from 'jose';

/** A new pair for an algorithm. See `src/service/core/generate-keys.ts` for why it is encoded and read. */
export async function generateKeys(alg: string): Promise<CryptoKeyPair> {
  return readAgain(await generateKeyPair(alg, { extractable: true }), alg);
}

/** The same keys, without the lock of the job that has made them. */
export async function readAgain(
  { publicKey, privateKey }: CryptoKeyPair,
  alg: string,
): Promise<CryptoKeyPair> {
  const extractable = { extractable: true };
  return {
    publicKey: await importSPKI(await exportSPKI(publicKey), alg, extractable),
    privateKey: await importPKCS8(await exportPKCS8(privateKey), alg, extractable),
  };
}
