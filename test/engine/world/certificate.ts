/** A certificate that nobody trusts, as most mail servers have one. Made once for each run. */
import { generate } from 'selfsigned';

let made: Promise<{ key: string; cert: string }> | undefined;

export function certificate(): Promise<{ key: string; cert: string }> {
  made ??= generate([{ name: 'commonName', value: 'mx.test' }], { keyType: 'ec' }).then((pems) => ({
    key: pems.private,
    cert: pems.cert,
  }));
  return made;
}
