/** A certificate for 127.0.0.1 that nobody trusts, as most mail servers have one. Node can read them, but makes none. */
import { sign } from 'node:crypto';
import { generateKeys } from '../core/generate-keys.ts';

/** A value in DER, the form of certificates: a tag, the length, the content. */
function der(tag: number, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const { length } = body;
  if (length < 128) return Buffer.from([tag, length, ...body]);
  return Buffer.from([tag, ...(length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]), ...body]);
}
const sequence = (...content: Buffer[]) => der(0x30, ...content);
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const integer = (value: number) => der(0x02, Buffer.from([value]));

const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const COMMON_NAME = identifier('550403');
const OWNER = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, 'mx.test'))));
const VALIDITY = sequence(der(0x17, '000101000000Z'), der(0x17, '491231235959Z'));
const SUBJECT_ALT_NAME = identifier('551d11');
const IP_ADDRESS = der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))));

/** A new one for each call. @returns the private key and the certificate, as PEM */
export function certificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeys('P-256');
  const content = sequence(
    // Version 3, the first with extensions.
    der(0xa0, integer(2)),
    integer(1),
    ECDSA_WITH_SHA256,
    OWNER,
    VALIDITY,
    OWNER,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(SUBJECT_ALT_NAME, IP_ADDRESS))),
  );
  // The zero says that the last byte is used whole.
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const lines = sequence(content, ECDSA_WITH_SHA256, signature)
    .toString('base64')
    .match(/.{1,64}/g)!;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
