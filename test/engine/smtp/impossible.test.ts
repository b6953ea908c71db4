import { expect, it } from 'vitest';
import { impossibleLocalPart } from '../../../src/engine/smtp/impossible.ts';

const DOMAINS = Array.from({ length: 10_000 }, (_, index) => `domain-${index}.example`);
const LOCAL_PARTS = DOMAINS.map(impossibleLocalPart);

it('is the same each time for a domain, however it is written', () => {
  expect(DOMAINS.map(impossibleLocalPart)).toEqual(LOCAL_PARTS);
  expect(impossibleLocalPart('DOMAIN-7.Example')).toBe(LOCAL_PARTS[7]);
});

it('does not change from release to release', () => {
  expect(['gmail.com', 'acme.example', 'bücher.example'].map(impossibleLocalPart)).toMatchInlineSnapshot(`
    [
      "fiora.zeipepair67",
      "arlo.gizoudick80",
      "imke.madigux82",
    ]
  `);
});

it('has 4 to 32 letters, digits and dots, and does not begin or end with a dot', () => {
  const wrong = LOCAL_PARTS.filter((local) => !/^(?=.{4,32}$)[a-z]+\.[a-z]+\d{2}$/.test(local));
  expect(wrong).toEqual([]);
});

it('has no run of five digits', () => {
  expect(LOCAL_PARTS.filter((local) => /\d{5}/.test(local))).toEqual([]);
});

it.each(
  'test probe verify check spam random fake bogus invalid valid exist unknown dummy temp trap null admin user mail smtp abuse bounce bot noreply'.split(
    ' ',
  ),
)('does not contain "%s"', (word) => {
  expect(LOCAL_PARTS.filter((local) => local.replaceAll(/[^a-z]/g, '').includes(word))).toEqual([]);
});

it('differs from domain to domain', () => {
  expect(new Set(LOCAL_PARTS).size).toBe(LOCAL_PARTS.length);
});
