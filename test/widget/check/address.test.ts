import { describe, expect, it } from 'vitest';
import { addressesIn, addressKey, canBeAddress } from '../../../src/widget/check/address.ts';
import { stopIfEndless } from '../../stop-if-endless.ts';

const LABEL_63 = 'a'.repeat(63);

describe('text that can be an address', () => {
  it.each([
    'joe@shop.example',
    'JOE@SHOP.EXAMPLE',
    'j@a.b',
    'joe+news@mail.shop.example',
    "!#$%&'*+/=?^_`{|}~-@shop.example",
    'joe.@shop.example',
    'a..b@shop.example',
    '.joe@shop.example',
    `${'x'.repeat(70)}@shop.example`,
    'joe@1.2',
    'joe@a-b.example',
    'joe@xn--mller-kva.example',
    `joe@${LABEL_63}.example`,
  ])('accepts %s', (address) => {
    expect(canBeAddress(address)).toBe(true);
  });

  it.each([
    'jörg@shop.example',
    'joe@müller.example',
    '用户@例子.公司',
    'joe@shop.example\u200b',
    '"a"ä@shop.example',
    'joe@exa_mple.bücher.example',
  ])('leaves %s, which has non-ASCII characters, to the service', (address) => {
    expect(canBeAddress(address)).toBe(true);
  });
});

describe('text that cannot be an address', () => {
  it.each([
    ['nothing', ''],
    ['no @', 'joe'],
    ['no @, but a dot', 'shop.example'],
    ['nothing before the @', '@shop.example'],
    ['nothing after the @', 'joe@'],
    ['nothing but an @', '@'],
    ['white space in the local part', 'jo e@shop.example'],
    ['white space in the domain', 'joe@shop .example'],
    ['a tab inside', 'jo\te@shop.example'],
    ['a line break inside', 'joe@shop.example\nBcc:x@y.example'],
    ['a no-break space inside', 'jo\u00a0e@shop.example'],
    ['white space before what is not ASCII', 'jö rg@shop.example'],
    ['a domain without a dot', 'joe@localhost'],
    ['a domain without a dot that is not ASCII', 'joe@müller'],
    ['a domain that begins with a dot', 'joe@.example'],
    ['a domain that ends with a dot', 'joe@shop.'],
    ['a domain that ends with the root', 'joe@shop.example.'],
    ['an empty label', 'joe@shop..example'],
    ['an underscore in the domain', 'joe@sh_op.example'],
    ['a label that begins with a hyphen', 'joe@-shop.example'],
    ['a label that ends with a hyphen', 'joe@shop-.example'],
    ['a label of 64 characters', `joe@a${LABEL_63}.example`],
    ['a quoted local part', '"joe"@shop.example'],
    ['an address literal', 'joe@[192.0.2.1]'],
    ['a second @', 'joe@home@shop.example'],
    ['a comma', 'joe,ann@shop.example'],
    ['angle brackets', '<joe@shop.example>'],
    ['a name in front', 'Joe<joe@shop.example>'],
    ['a control character', 'joe\u0007@shop.example'],
    ['a port', 'joe@shop.example:25'],
    ['a scheme', 'mailto:joe@shop.example'],
  ])('%s', (_, text) => {
    expect(canBeAddress(text)).toBe(false);
  });

  it.each([
    ['at signs', `${'a@'.repeat(1_000_000)} `],
    ['labels', `a@${'a.'.repeat(1_000_000)}!`],
    ['labels of 63 characters', `a@${`${LABEL_63}.`.repeat(30_000)}!`],
    ['letters that are not ASCII', 'ä'.repeat(2_000_000)],
    ['at signs and a letter that is not ASCII', `ä${'a@'.repeat(1_000_000)} `],
    ['labels that are not ASCII', `a@${'ä.'.repeat(1_000_000)} x`],
  ])('a text of a million %s', (_, text) => {
    expect(stopIfEndless(() => canBeAddress(text))).toBe(false);
  });
});

describe('the addresses in a value', () => {
  it.each<[string, string, boolean, string[]]>([
    ['one', 'joe@a.example', false, ['joe@a.example']],
    ['one, without the spaces around it', ' \u00a0joe@a.example\t\n', false, ['joe@a.example']],
    ['nothing', '', false, []],
    ['only spaces', '  ', false, []],
    [
      'a comma, where there is no list',
      'joe@a.example,ann@b.example',
      false,
      ['joe@a.example,ann@b.example'],
    ],
    ['a list', 'joe@a.example,ann@b.example', true, ['joe@a.example', 'ann@b.example']],
    ['a list with spaces', ' joe@a.example , ann@b.example ', true, ['joe@a.example', 'ann@b.example']],
    ['a list that is being continued', 'joe@a.example, ', true, ['joe@a.example']],
    ['a list of nothing', ' , ,', true, []],
  ])('%s', (_, value, multiple, addresses) => {
    expect(addressesIn(value, multiple)).toEqual(addresses);
  });
});

describe('the same address', () => {
  it.each([
    ['joe@shop.example', 'joe@SHOP.Example'],
    ['joe@MÜLLER.example', 'joe@müller.example'],
  ])('%s and %s differ in the case of the domain only', (one, other) => {
    expect(addressKey(one)).toBe(addressKey(other));
  });

  it('is found in a text of a million at signs', () => {
    const text = 'A@'.repeat(1_000_000);
    expect(stopIfEndless(() => addressKey(text))).toBe(text);
  });

  it.each([
    ['joe@shop.example', 'Joe@shop.example'],
    ['joe@shop.example', 'joe@shop.example.test'],
    ['a@B@shop.example', 'a@b@shop.example'],
    ['joe@shop.example', 'ann@shop.example'],
  ])('tells %s and %s apart', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });
});
