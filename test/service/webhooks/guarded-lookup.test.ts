import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { type AddressResolver, createGuardedLookup } from '../../../src/service/webhooks/guarded-lookup.ts';
import { isPublicIp } from '../../../src/shared/public-ip.ts';
import { PRIVATE_ADDRESSES } from '../../engine/world/private-addresses.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const finds = (ipv4: string[] | string, ipv6: string[] | string): AddressResolver => ({
  resolve4: typeof ipv4 === 'string' ? failing(ipv4) : async () => ipv4,
  resolve6: typeof ipv6 === 'string' ? failing(ipv6) : async () => ipv6,
});

/** @returns all addresses, or the first one */
const lookUp = (resolver: AddressResolver, all = true) =>
  new Promise<string | LookupAddress[]>((resolve, reject) => {
    const lookup = createGuardedLookup(isPublicIp, resolver);
    lookup('shop.example', { all }, (error, found) => (error ? reject(error) : resolve(found)));
  });

it('finds the addresses of both families', async () => {
  const resolver = finds(['8.8.8.8'], ['2606:4700::1111']);
  expect(await lookUp(resolver)).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  expect(await lookUp(resolver, false)).toBe('8.8.8.8');
});

it.each(['ENODATA', 'ENOTFOUND', 'ETIMEOUT'])('takes a family when the other one has %s', async (code) => {
  expect(await lookUp(finds(code, ['2606:4700::1111']), false)).toBe('2606:4700::1111');
});

const PRIVATE = [...PRIVATE_ADDRESSES.A, '168.63.129.16', ...PRIVATE_ADDRESSES.AAAA];
it.each(PRIVATE)('refuses a name that leads to %s, even beside a public address', async (ip) => {
  const [ipv4, ipv6] = ip.includes(':') ? [['8.8.8.8'], [ip]] : [[ip, '8.8.8.8'], 'ENODATA'];
  await expect(lookUp(finds(ipv4!, ipv6!))).rejects.toMatchObject({ name: 'RefusedAddressError' });
});

it.each([
  ['a name that does not exist', finds('ENOTFOUND', 'ENOTFOUND'), 'ENOTFOUND'],
  ['a name without addresses', finds('ENODATA', 'ENODATA'), 'ENOTFOUND'],
  ['name servers that do not answer', finds('ETIMEOUT', 'ENODATA'), 'EAI_AGAIN'],
])('tells %s', async (_, resolver, code) => {
  await expect(lookUp(resolver)).rejects.toMatchObject({ code });
});

it('looks up with the name servers of the machine unless told otherwise', async () => {
  const lookup = createGuardedLookup(isPublicIp);
  // RFC 6761, section 6.4: there is no such name. Without a network, no name server says so.
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) =>
    lookup('nothing.invalid', { all: true }, resolve),
  );
  expect(error?.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
});
