/** Requests as large as the service accepts them, made to take long. The tests send larger ones, the bench measures these. */
import type { InjectOptions } from 'fastify';
import type { KeyEntry } from '../../src/service/config/sections/keys-section.ts';

const FORM = 'application/x-www-form-urlencoded';

export type NamedRequest = readonly [what: string, request: InjectOptions];

/** Many keys, because an origin is compared with the domains of all. */
export const KEYS: readonly KeyEntry[] = [
  ...Array.from(
    { length: 1000 },
    (_, index): KeyEntry => ({
      key: `test_public_${index}`,
      kind: 'public',
      trustedDomains: [`shop${index}.example`],
    }),
  ),
  { key: 'test_private', kind: 'private' },
];

/** Repeats a text up to a size in bytes. */
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
/** So many different characters, one after the other in Unicode. */
const different = (first: number, count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

const post = (payload: string, type: string): InjectOptions => ({
  method: 'POST',
  url: '/v1/verify?api_key=test_private',
  headers: { 'content-type': type },
  payload,
});

/** @param bytes of the body */
export function largestAddresses(bytes: number): readonly NamedRequest[] {
  // The rest of the body needs room, too.
  const most = bytes - 300;
  const addresses = [
    ['Chinese characters in the domain', `a@${fill(different(0x4e00, 20_900), most)}`],
    ['Korean syllables in the domain', `a@${fill(different(0xac00, 11_000), most)}`],
    ['accents in the wrong order', `a@a${fill('\u0301\u0323', most)}`],
    ['dots only', `a@${fill('.', most)}`],
    ['labels', `a@${fill('a.', most)}com`],
    ['endings that do not exist', `a@x.com${fill('.con', most)}`],
    ['commas where the dot belongs', `a@gmail${fill(',', most)}com`],
    ['a long local part', `${fill('no.', most)}@gmail.com`],
    ['a long name', `${fill('a', most / 2)}.${fill('a', most / 2)}`],
    ['a long IP address', `a@[IPv6:${fill(':', most)}]`],
  ] as const;
  return addresses.map(([what, email]) => [what, post(JSON.stringify({ email }), 'application/json')]);
}

/** @param bytes of the body */
export function largestBodies(bytes: number): readonly NamedRequest[] {
  const most = bytes - 300;
  const field = '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  return [
    ['parameters without a value', post(fill('a&', most), FORM)],
    ['broken escapes', post(`email=${fill('%', most)}`, FORM)],
    ['addresses that differ', post(fill('email=a&', most) + fill('email=b&', 200), FORM)],
    ['nested lists', post(fill('[', most / 2) + fill(']', most / 2), 'application/json')],
    ['backslashes in a text', post(`{"email":"${fill('\\\\', most)}"}`, 'application/json')],
    ['a text that does not end', post(`{"email":"${fill('\\\\', most)}`, 'application/json')],
    ['a timeout of many digits', post(`{"timeout":${fill('9', most)}}`, 'application/json')],
    ['many fields', post(`${fill(field, most)}--edge--\r\n`, 'multipart/form-data; boundary=edge')],
    ['dashes only', post(fill('-', most), `multipart/form-data; boundary=${'-'.repeat(60)}`)],
  ];
}

/** @param bytes of the URL and the headers */
export function largestHeads(bytes: number): readonly NamedRequest[] {
  const most = bytes - 500;
  const preflight = (origin: string): InjectOptions => ({
    method: 'OPTIONS',
    url: '/v1/verify',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  const chinese = different(0x4e00, 1700);
  return [
    ['an origin of Chinese characters', preflight(`https://${encodeURIComponent(fill(chinese, most / 3))}`)],
    ['an origin of accented letters', preflight(`https://${fill('é', most)}`)],
    ['an origin in punycode', preflight(`https://xn--${fill('a', most)}`)],
    ['the longest origin that is read', preflight(`https://${encodeURIComponent(chinese.slice(0, 32))}`)],
    [
      'a credential among spaces',
      { url: '/v1/verify', headers: { authorization: `Bearer ${fill(' ', most)}` } },
    ],
    ['an address of many steps', { url: `/v1${fill('/a', most)}` }],
    ['a query of many parameters', { url: `/v1/verify?${fill('a&', most)}` }],
  ];
}
