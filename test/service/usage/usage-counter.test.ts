import { expect, it } from 'vitest';
import { createUsageCounter } from '../../../src/service/usage/usage-counter.ts';

const count = <Item>(items: readonly Item[]) => items.length;

it('knows when a key was used last', () => {
  let time = 1;
  const counter = createUsageCounter(() => time);
  counter.countUse('k');
  time = 2;
  counter.countUse('k');
  expect([counter.takeUses(), counter.takeUses()]).toEqual([[{ keyId: 'k', at: 2 }], []]);
});

it('counts where a key was refused, and when first and last', () => {
  let time = 1;
  const counter = createUsageCounter(() => time);
  counter.countRefusal('k', 'origin', 'https://evil.example');
  time = 7;
  counter.countRefusal('k', 'origin', 'https://evil.example');
  counter.countRefusal('k', 'captcha', 'https://evil.example');
  const both = { keyId: 'k', seenFrom: 'https://evil.example' };
  expect(counter.takeRefusals()).toEqual([
    { ...both, reason: 'origin', count: 2, first: 1, last: 7 },
    { ...both, reason: 'captcha', count: 1, first: 7, last: 7 },
  ]);
  expect(counter.takeRefusals()).toEqual([]);
});

it('keeps few places of a key, however many origins are sent, and counts the others together', () => {
  const counter = createUsageCounter();
  for (let number = 0; number < 50_000; number += 1) {
    counter.countRefusal('k', 'origin', `https://${number}.example`);
    counter.countRefusal('k', 'ip', `198.51.100.${number % 256}`);
  }
  const taken = counter.takeRefusals();
  expect(count(taken)).toBe(22);
  expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(100_000);
  const together = taken.filter(({ seenFrom }) => seenFrom === '');
  expect(together.map(({ reason }) => reason)).toEqual(['origin', 'ip']);
});

it('shortens long places, and leaves out what is not printable', () => {
  const counter = createUsageCounter();
  counter.countRefusal('k', 'origin', `\u00e9\t${'x'.repeat(1000)}`);
  counter.countRefusal('k', 'origin', `\u00e9\t${'x'.repeat(1000)}`);
  expect(counter.takeRefusals()).toMatchObject([{ seenFrom: `??${'x'.repeat(253)}`, count: 2 }]);
});

it('bounds what it holds until the next flush', () => {
  const counter = createUsageCounter();
  for (let number = 0; number < 10_050; number += 1) {
    counter.countUse(`k${number}`);
    counter.countRefusal(`k${number}`, 'ip', '::1');
  }
  counter.countUse('k1');
  counter.countRefusal('k1', 'ip', '::1');
  expect([count(counter.takeUses()), count(counter.takeRefusals())]).toEqual([10_000, 1_000]);
});
