import { describe, expect, it } from 'vitest';
import { ownNames } from '../../../../src/service/people/passwords/own-names.ts';
import { findPasswordFault } from '../../../../src/service/people/passwords/password-rules.ts';

const NAMES = ownNames({
  emails: ['Ada.Lovelace@engines.example.com', 'office@babbage-works.example'],
  publicUrl: 'https://verify.difference.example/checks',
});
const faultOf = (password: string) => findPasswordFault(password, NAMES);

describe('a new password', () => {
  it.each([
    ['', 'short'],
    ['kq8v-tm', 'short'],
    ['kq8v-tm2', undefined],
    ['kq8v-tm2'.repeat(16), undefined],
    [`${'kq8v-tm2'.repeat(16)}x`, 'long'],
  ])('has 8 to 128 characters: %j', async (password, fault) => {
    expect(await faultOf(password)).toBe(fault);
  });

  it('is counted in code points of its composed form', async () => {
    // Two UTF-16 units each.
    expect(await faultOf('🦔🐙🦊🐢🦉🐝🐌')).toBe('short');
    expect(await faultOf('🦔🐙🦊🐢🦉🐝🐌🐳')).toBeUndefined();
    expect(await faultOf('🦔'.repeat(128))).toBeUndefined();
    // Each letter and its accent are one character.
    expect(await faultOf('e\u0301'.repeat(7))).toBe('short');
    expect(await faultOf('e\u0301x'.repeat(64))).toBeUndefined();
  });

  it.each(['aaaa bbbb cccc', 'zwölf boxkämpfer', '        x        ', '%$&§/()=!', 'ひみつのことばです'])(
    'may consist of any characters: %j',
    async (password) => {
      expect(await faultOf(password)).toBeUndefined();
    },
  );

  it.each(['password', 'PASSWORD', 'football1', 'qwertyuiop'])(
    'is none of the common ones: %j',
    async (password) => {
      expect(await faultOf(password)).toBe('common');
    },
  );

  it.each([
    'ada.lovelace@engines.example.com',
    'AdaLovelace',
    'adalovelace1815',
    'Love-Lace 1815!',
    'Lovelace1815-Ada',
    'engines2026!',
    'babbage-works!!',
    'babbageworks1',
    'Difference#7',
    'verify123456',
    'email verify 1',
    'Lôvelàce1815',
    'lovelacepassword',
  ])('is more than the own names: %j', async (password) => {
    expect(await faultOf(password)).toBe('own-name');
  });

  it.each(['engines of the night', 'lovelace and 3 cats', 'examples for all of us', 'officials 4 tea'])(
    'may have a name if enough is left: %j',
    async (password) => {
      expect(await faultOf(password)).toBeUndefined();
    },
  );
});

describe('own names', () => {
  it.each(['', '@', 'x@y', '[::1]', 'a'.repeat(300)])('are found in any text: %j', (email) => {
    expect(() => ownNames({ emails: [email], publicUrl: 'http://[::1]:8080' })).not.toThrow();
  });

  it('have no short part, and no ending of a host', () => {
    const names = ownNames({ emails: ['jo.li@it.example.info'], publicUrl: undefined });
    expect(names).toEqual(expect.arrayContaining(['joli', 'example', 'itexampleinfo']));
    for (const part of ['jo', 'li', 'it', 'info']) expect(names).not.toContain(part);
  });
});
