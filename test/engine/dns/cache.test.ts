import { expect, it } from 'vitest';
import { boundedTtl, createCache } from '../../../src/engine/dns/cache.ts';

const cacheOf = (mostSize: number) => createCache<string>((value) => value.length, mostSize);

it.each([
  [0, 60],
  [59, 60],
  [60, 60],
  [300, 300],
  [3600, 3600],
  [604_800, 3600],
])('keeps a TTL of %i s for %i s', (ttl, kept) => {
  expect(boundedTtl(ttl)).toBe(kept);
});

it('gives a value until its time is over', () => {
  const cache = cacheOf(100);
  cache.set('a', 'value', 60, 1000);
  expect(cache.get('a', 60_999)).toBe('value');
  expect(cache.get('a', 61_000)).toBeUndefined();
  expect(cache.get('a', 1000)).toBeUndefined();
});

it('has no value that was not set', () => {
  expect(cacheOf(100).get('a', 0)).toBeUndefined();
});

it('replaces a value and its time', () => {
  const cache = cacheOf(100);
  cache.set('a', 'old', 60, 0);
  cache.set('a', 'new', 120, 0);
  expect(cache.get('a', 100_000)).toBe('new');
});

it('drops the least recently used value when it is full', () => {
  const cache = cacheOf(6);
  for (const key of ['a', 'b', 'c']) cache.set(key, '1', 60, 0);
  cache.get('a', 0);
  cache.set('d', '1', 60, 0);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 0))).toEqual(['a', 'c', 'd']);
});

it('does not count replaced and outdated values', () => {
  const cache = cacheOf(6);
  for (let round = 0; round < 10; round += 1) cache.set('a', '1234', 60, 0);
  cache.get('a', 60_000);
  for (const key of ['a', 'b', 'c']) cache.set(key, '1', 60, 60_000);
  expect(['a', 'b', 'c'].filter((key) => cache.get(key, 60_000))).toEqual(['a', 'b', 'c']);
});

it('does not store a value that is larger than its limit, and keeps the others', () => {
  const cache = cacheOf(6);
  cache.set('a', '1', 60, 0);
  cache.set('b', '123456', 60, 0);
  expect([cache.get('a', 0), cache.get('b', 0)]).toEqual(['1', undefined]);
});
