import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  checkPassword,
  hashPassword,
  isTooCheap,
  type PasswordCost,
} from '../../../../src/service/people/accounts/password-hash.ts';

const CHEAP: PasswordCost = { N: 16, r: 1, p: 1 };

it('accepts the right password and refuses others', async () => {
  const stored = await hashPassword('correct horse', CHEAP);
  expect(await checkPassword('correct horse', stored)).toBe(true);
  expect(await checkPassword('correct horsf', stored)).toBe(false);
  expect(await checkPassword('', stored)).toBe(false);
});

it('stores the parameters, and a different salt each time', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')]);
  expect(first).toMatch(/^scrypt\$32768\$8\$3\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
  expect(first).not.toBe(second);
  expect(await checkPassword('same', first)).toBe(true);
});

it('checks hashes with other parameters, and hashes of another program', async () => {
  // Test vector 2 of RFC 7914, section 12.
  const hash = Buffer.from(
    'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    'hex',
  ).toString('base64');
  const stored = `scrypt$1024$8$16$${Buffer.from('NaCl').toString('base64')}$${hash}`;
  expect(await checkPassword('password', stored)).toBe(true);
  expect(await checkPassword('passwore', stored)).toBe(false);
});

it('treats both spellings of an accent as the same', async () => {
  expect(await checkPassword('cafe\u0301', await hashPassword('caf\u00e9', CHEAP))).toBe(true);
});

it('refuses every password of an unknown account, and does the same work', async () => {
  const scrypt = vi.spyOn(crypto, 'scrypt');
  syncBuiltinESMExports();
  onTestFinished(() => {
    scrypt.mockRestore();
    syncBuiltinESMExports();
  });
  const stored = await hashPassword('x');
  expect(await checkPassword('y', stored)).toBe(false);
  expect(await checkPassword('y', undefined)).toBe(false);
  expect(await checkPassword('', undefined)).toBe(false);
  expect(
    scrypt.mock.calls.map(([, salt, bytes, cost]) => [Buffer.from(salt as Buffer).length, bytes, cost]),
  ).toEqual(Array(4).fill([16, 32, expect.objectContaining({ N: 32_768, r: 8, p: 3 })]));
});

it('does the same work for a hash of a lower cost, which would tell that the account exists', async () => {
  const stored = await hashPassword('x', { N: 2 ** 15, r: 8, p: 1 });
  const scrypt = vi.spyOn(crypto, 'scrypt');
  syncBuiltinESMExports();
  onTestFinished(() => {
    scrypt.mockRestore();
    syncBuiltinESMExports();
  });
  expect(await checkPassword('x', stored)).toBe(true);
  const costs = scrypt.mock.calls.map(([, , , cost]) => cost as PasswordCost);
  expect(costs.map(({ N, r }) => [N, r])).toEqual(Array(2).fill([32_768, 8]));
  expect(costs.reduce((sum, { p }) => sum + p, 0)).toBe(3);
});

it('knows a hash of a lower cost from one of the usual cost', async () => {
  const [cheap, usual] = [await hashPassword('x', CHEAP), await hashPassword('x')];
  expect([isTooCheap(cheap), isTooCheap(usual), isTooCheap(usual, CHEAP)]).toEqual([true, false, false]);
});

it('does not hold up other work', async () => {
  let isHashed = false;
  const hashing = hashPassword('x', CHEAP).then(() => {
    isHashed = true;
  });
  // A hash of this thread would be there after the microtasks. That of another one comes with a later event.
  for (let turns = 0; turns < 20; turns += 1) await null;
  expect(isHashed).toBe(false);
  await hashing;
});

it.each(['', 'bcrypt$1$2$3$YQ==$YQ==', 'scrypt$1024$8$16$$'])(
  'fails for a stored text that is not a hash: %j',
  async (stored) => {
    await expect(checkPassword('x', stored)).rejects.toThrow('Expected a password hash');
  },
);
