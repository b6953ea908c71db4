import { expect, it } from 'vitest';
import { mailHostNames, preferredNames } from '../../../src/engine/dns/mail-host-names.ts';
import { stopIfEndless } from '../../stop-if-endless.ts';
import { PRIVATE_ADDRESSES } from '../world/private-addresses.ts';

const record = (preference: number, exchange: string) => ({ preference, exchange });

it('sorts by preference', () => {
  const records = [record(20, 'b.test'), record(30, 'c.test'), record(10, 'a.test')];
  expect(mailHostNames(records, Math.random)).toEqual(['a.test', 'b.test', 'c.test']);
});

it('shuffles hosts of equal preference, and never puts them before a better one', () => {
  const records = [record(10, 'a.test'), record(10, 'b.test'), record(10, 'c.test'), record(5, 'first.test')];
  const orders = new Set<string>();
  for (const one of [0, 0.4, 0.7, 0.99]) {
    for (const two of [0, 0.4, 0.7, 0.99]) {
      for (const three of [0, 0.4, 0.99]) {
        const numbers = [one, two, three];
        orders.add(mailHostNames(records, () => numbers.shift()!).join(' '));
      }
    }
  }
  expect([...orders].every((order) => order.startsWith('first.test '))).toBe(true);
  expect(orders.size).toBe(6);
});

it('gives a name once, at its best preference', () => {
  const records = [record(30, 'a.test'), record(20, 'b.test'), record(10, 'a.test')];
  expect(mailHostNames(records, Math.random)).toEqual(['a.test', 'b.test']);
});

it('prefers all names with the lowest preference that are hosts', () => {
  const records = [record(20, 'c.test'), record(10, 'a.test'), record(10, 'b.test'), record(0, 'localhost')];
  expect(preferredNames(records)).toEqual(['a.test', 'b.test']);
  expect(preferredNames(records.slice(0, 2))).toEqual(['a.test']);
});

it('leaves a null MX out', () => {
  expect(mailHostNames([record(0, '')], Math.random)).toEqual([]);
  expect(mailHostNames([record(0, ''), record(10, 'a.test')], Math.random)).toEqual(['a.test']);
});

it.each([
  'mx.example.test',
  'mx_1.example.test',
  '_mx.test',
  'mx--1.test',
  'mx1',
  '1.2.3.4.in-addr.arpa',
  'xn--bcher-kva.test',
  `${'a'.repeat(63)}.test`,
])('takes "%s" for the name of a host', (name) => {
  expect(mailHostNames([record(10, name)], Math.random)).toEqual([name]);
});

it.each([
  ...PRIVATE_ADDRESSES.MX,
  '192.0.2.1',
  '8.8.8.8',
  '2001:db8::1',
  'mx.example.test:25',
  'two words.test',
  'mx..test',
  '-mx.test',
  'mx-.test',
  'bücher.test',
  'mx\u0000.test',
  'user@example.test',
  '*.test',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(127)}test`,
])('does not take "%s" for the name of a host', (name) => {
  expect(mailHostNames([record(10, name)], Math.random)).toEqual([]);
});

it.each([
  ['hyphens', 'a-'.repeat(2_000_000)],
  ['labels', 'a.'.repeat(2_000_000)],
  ['underscores', '_'.repeat(4_000_000)],
  ['digits', `${'1'.repeat(4_000_000)}x`],
  ['long labels', `${'a-'.repeat(31)}.`.repeat(60_000)],
  ['long labels, as long as a name may be', `${'a-'.repeat(31)}.`.repeat(4)],
])('takes no name of many %s', (_, name) => {
  expect(stopIfEndless(() => mailHostNames([record(10, name)], Math.random))).toEqual([]);
});
