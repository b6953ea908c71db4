import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Claim } from '../../../src/engine/domains/domain-facts.ts';
import { createMemoryDomainFacts } from '../../../src/engine/domains/memory-domain-facts.ts';
import { describeDomainFacts } from './domain-facts-suite.ts';

describeDomainFacts('facts of domains in memory', async () => {
  let now = Date.UTC(2026, 0, 1);
  return {
    processes: [createMemoryDomainFacts({ now: () => new Date(now) })],
    advance(seconds) {
      now += seconds * 1000;
    },
    close: async () => {},
  };
});

it('forgets the oldest domains beyond its bound', async () => {
  const facts = createMemoryDomainFacts({ mostDomains: 10 });
  const never = new AbortController().signal;
  const domainOf = (number: number) => ({ name: `d${number}.example`, organisation: 'host.example' });
  for (let number = 0; number < 25; number += 1) {
    const claim = (await facts.claim(domainOf(number), never)) as Claim;
    await claim.end({ acceptsAll: true, server: 'mx.host.example', code: 250 });
  }
  expect(facts.size).toBe(10);
  expect(await facts.look(domainOf(14), never)).toEqual({ kind: 'unknown' });
  expect(await facts.look(domainOf(15), never)).toMatchObject({ kind: 'known' });
});

it('takes a domain that was asked again for a young one', async () => {
  const facts = createMemoryDomainFacts({ mostDomains: 2 });
  const never = new AbortController().signal;
  const learn = async (name: string, organisation = 'host.example') => {
    const claim = (await facts.claim({ name, organisation }, never)) as Claim;
    await claim.end({ acceptsAll: true, server: 'mx.host.example', code: 250 });
  };
  await learn('first.example');
  await learn('second.example');
  await learn('first.example', 'other.example');
  await learn('third.example');
  const look = (name: string, organisation: string) => facts.look({ name, organisation }, never);
  expect(await look('first.example', 'other.example')).toMatchObject({ kind: 'known' });
  expect(await look('second.example', 'host.example')).toEqual({ kind: 'unknown' });
});

it('leaves no listener when a wait has ended', async () => {
  const facts = createMemoryDomainFacts();
  const domain = { name: 'company.example', organisation: 'host.example' };
  const { signal } = new AbortController();
  const claim = (await facts.claim(domain, signal)) as Claim;
  const waiting = facts.settled(domain, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await claim.end(undefined);
  expect(await waiting).toEqual({ kind: 'unknown' });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
