import { describe, expect, it } from 'vitest';
import { isPublicSuffix, toAsciiDomain } from '../../../src/engine/address/domain.ts';
import { canBePublic } from '../../../src/engine/address/public-name.ts';

describe('the ASCII form of a domain', () => {
  it.each([
    ['Company.Example', 'company.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['ab--c.example', 'ab--c.example'],
    [`${'d'.repeat(63)}.example`, `${'d'.repeat(63)}.example`],
    [`${`${'d'.repeat(62)}.`.repeat(4)}x`, `${`${'d'.repeat(62)}.`.repeat(4)}x`],
  ])('of %s is %s', (domain, ascii) => {
    expect(toAsciiDomain(domain)).toBe(ascii);
  });

  it.each([
    ['a letter that is written the other way beside one that is not', '\u05D0a.example'],
    ['a joiner with nothing to join', 'a\u200Db.example'],
    ['more than 253 octets', `${`${'d'.repeat(62)}.`.repeat(4)}test`],
    ['more than 253 octets once it is mapped', `${`${'ü'.repeat(45)}.`.repeat(5)}test`],
    ['an underscore', 'a_b.example'],
    ['an underscore beside a letter that is not ASCII', 'ü_b.example'],
    ['a soft hyphen', 'com\u00ADpany.example'],
    ['nothing', ''],
  ])('does not exist for %s', (_, domain) => {
    expect(toAsciiDomain(domain)).toBeUndefined();
  });
});

it.each(['company.example', 'a.b.example', 'company.x', 'company.4u', '1.example'])(
  'says that public mail may reach %s',
  (domain) => {
    expect(canBePublic(domain)).toBe(true);
  },
);

it.each(['localhost', '192.0.2.1', '192.0.2.12', ''])('says that no public mail reaches "%s"', (domain) => {
  expect(canBePublic(domain)).toBe(false);
});

it('tells public suffixes from registered domains', () => {
  expect(['com', 'co.uk', 'de'].map(isPublicSuffix)).toEqual([true, true, true]);
  expect(['company.com', 'company.co.uk', 'corp', 'blogspot.com'].map(isPublicSuffix)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
