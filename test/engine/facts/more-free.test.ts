import { expect, it } from 'vitest';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { MORE_FREE_DOMAINS } from '../../../src/engine/facts/more-free.ts';
import { createEngineFacts } from '../../../src/engine/facts/operator-lists.ts';

it.each(MORE_FREE_DOMAINS)('%s is free, by %s', (domain, source) => {
  expect(createEngineFacts(loadPublishedLists()).isFree(domain)).toBe(true);
  expect(source).toMatch(/^https:\/\//);
});

it('repeats nothing of the published list', async () => {
  const { default: published } = await import('email-providers/all.json', { with: { type: 'json' } });
  expect(MORE_FREE_DOMAINS.filter(([domain]) => published.includes(domain))).toEqual([]);
});
