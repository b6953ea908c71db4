import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { checkPassword, hashPassword } from '../../../src/service/accounts/password.ts';

it('accepts the right password and refuses others', async () => {
  const stored = await hashPassword('correct horse');
  expect(await checkPassword('correct horse', stored)).toBe(true);
  expect(await checkPassword('correct horsf', stored)).toBe(false);
  expect(await checkPassword('', stored)).toBe(false);
});

it('stores the parameters, and a different salt each time', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')]);
  expect(first).toMatch(/^scrypt\$32768\$8\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
  expect(first).not.toBe(second);
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
  expect(await checkPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true);
});

it('refuses every password of an unknown account, and takes as long', async () => {
  const stored = await hashPassword('x');
  const time = async (hash: string | undefined) => {
    const began = performance.now();
    expect(await checkPassword('y', hash)).toBe(false);
    return performance.now() - began;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    known.push(await time(stored));
    unknown.push(await time(undefined));
  }
  // The fastest of each: other work on the machine only makes times longer.
  expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2);
  expect(await checkPassword('', undefined)).toBe(false);
});

it('does not hold up other work', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await hashPassword('x');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(3);
});

it.each(['', 'bcrypt$1$2$3$YQ==$YQ==', 'scrypt$1024$8$16$$'])(
  'fails for a stored text that is not a hash: %j',
  async (stored) => {
    await expect(checkPassword('x', stored)).rejects.toThrow('Expected a password hash');
  },
);
