import { describe, expect, it } from 'vitest';
import { isAddress } from '../../../src/engine/address/syntax.ts';
import { stopIfEndless } from '../../stop-if-endless.ts';

const LOCAL_64 = 'l'.repeat(64);
const LABEL_63 = 'd'.repeat(63);
/** 64 + 1 + 189 octets: the most that a path can hold. */
const LONGEST = `${LOCAL_64}@${LABEL_63}.${LABEL_63}.${'d'.repeat(56)}.test`;

describe('an address', () => {
  it.each([
    'jane@company.example',
    "!#$%&'*+-/=?^_`{|}~@company.example",
    'a.b.c@company.example',
    '1@1.example',
    '"jane doe"@company.example',
    '"a@b"@company.example',
    '"\\""@company.example',
    '""@company.example',
    `${LOCAL_64}@company.example`,
    LONGEST,
    'jane@xn--bcher-kva.example',
    'jane@bücher.example',
    'jürgen@bücher.example',
    '用户@例子.广告',
    'δοκιμή@παράδειγμα.δοκιμή',
    'jane@[192.0.2.1]',
    'jane@[IPv6:2001:db8::1]',
    'jane@localhost',
  ])('%s', (address) => {
    expect(isAddress(address)).toBe(true);
  });
});

describe('text that is not an address', () => {
  it.each([
    '',
    'jane',
    '@',
    'jane@',
    '@company.example',
    'jane@@company.example',
    '.jane@company.example',
    'jane.@company.example',
    'ja..ne@company.example',
    'jane doe@company.example',
    'jane@company..example',
    'jane@.company.example',
    'jane@company.example.',
    'jane@-company.example',
    'jane@company-.example',
    'jane@com_pany.example',
    'jane@company.example\n',
    'ja\u0000ne@company.example',
    'ja\u200Bne@company.example',
    'ja\uFFFDne@company.example',
    'ja\uD800ne@company.example',
    'ja\u00A0ne@company.example',
    'jane@com\u200Bpany.example',
    'jane@company。example',
    'jane@xn--\u00fc.example',
    '"jane@company.example',
    '"ja"ne"@company.example',
    'jane(comment)@company.example',
    'Jane <jane@company.example>',
    'jane@company.example, joe@company.example',
    `${LOCAL_64}l@company.example`,
    `ü${'l'.repeat(63)}@company.example`,
    `jane@${LABEL_63}d.example`,
    `${LONGEST}s`,
    'jane@[192.0.2.256]',
    'jane@[2001:db8::1]',
    'jane@[IPv6:fe80::1%eth0]',
    'jane@x[192.0.2.1]',
    'jane@[192.0.2.1]x',
    'jane@[xIPv6:2001:db8::1]',
    'jane@[IPv6:1:2:3:4:5::192.0.2.1]',
  ])('%j', (address) => {
    expect(isAddress(address)).toBe(false);
  });
});

describe('a text that is made to take long is no address', () => {
  it.each([
    ['millions of dots', 'a.'.repeat(2_000_000)],
    ['backslashes', '"\\'.repeat(2_000_000)],
    ['at signs', `${'@'.repeat(4_000_000)}x`],
    ['labels', `a@${'b.'.repeat(2_000_000)}`],
    ['labels of other scripts', `a@${'ü.'.repeat(2_000_000)}`],
    ['brackets', `a@${'[IPv6:'.repeat(1_000_000)}]`],
    ['colons', `a@[IPv6:${':'.repeat(4_000_000)}]`],
    ['as many letters as an address may have', `${'a'.repeat(63)}(@company.example`],
    ['as many quotes', `"${'\\a'.repeat(31)}@company.example`],
    ['as many hyphens', `a@${'a-'.repeat(120)}.example`],
    ['as many labels', `a@${'a.'.repeat(120)}(`],
  ])('with %s', (_, text) => {
    expect(stopIfEndless(() => isAddress(text))).toBe(false);
  });
});
