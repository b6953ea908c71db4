import { expect, it } from 'vitest';
import { createStoredDomainFacts } from '../../src/service/verify/domains/stored-domain-facts.ts';
import { testDatabase } from '../service/support/database.ts';
import { DEPS } from '../service/support/deps.ts';
import { addProcess } from '../service/support/process.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);
const processId = crypto.randomUUID();
await addProcess(db, processId);
const facts = createStoredDomainFacts({ ...DEPS, db, processId });
const claim = async (name: string) => {
  const claimed = await facts.claim({ name, organisation: 'google' }, new AbortController().signal);
  if (claimed.kind !== 'claimed') throw new Error('Expected a claim.');
  return claimed;
};

const NOTHING = {
  ...{ organisation: null, accept_all: null, asked_now: false, learnt_at: null },
  ...{ server: null, code: null, until: null },
};

it('shows what is known of a domain, when it was learnt and how, and forgets it', async () => {
  const show = (domain = 'acme.example') => admin.done('domain', 'show', '--domain', domain);
  expect(await show()).toEqual({ domain: 'acme.example', ...NOTHING });
  const asking = await claim('acme.example');
  const claimed = { organisation: 'google', accept_all: null, asked_now: true, learnt_at: null };
  expect(await show()).toMatchObject(claimed);
  await asking.end({ acceptsAll: false, server: 'aspmx.l.google.com', code: 550 });
  const shown = await show(' ACME.example ');
  expect(shown).toEqual({
    ...{ domain: 'acme.example', organisation: 'google', accept_all: false, asked_now: false },
    ...{ server: 'aspmx.l.google.com', code: 550 },
    ...{ learnt_at: expect.any(String), until: expect.any(String) },
  });
  const { until, learnt_at } = shown as unknown as { until: string; learnt_at: string };
  expect(Math.round((Date.parse(until) - Date.parse(learnt_at)) / 1000)).toBe(86_400);
  const forget = () => admin.done('domain', 'forget', '--domain', 'acme.example');
  expect(await forget()).toEqual({ domain: 'acme.example', forgotten: true });
  expect(await forget()).toEqual({ domain: 'acme.example', forgotten: false });
  expect(await show()).toMatchObject(NOTHING);
});

it('takes a domain in any script, and refuses what is none', async () => {
  await (await claim('xn--mnchen-3ya.example')).end({ acceptsAll: true, server: 'mx.example', code: 250 });
  const shown = await admin.done('domain', 'show', '--domain', 'MÜNCHEN.example');
  expect(shown).toMatchObject({ domain: 'xn--mnchen-3ya.example', accept_all: true });
  const refused = await admin.refused('domain', 'show', '--domain', 'ada@acme.example');
  expect(refused).toContain('"ada@acme.example"');
  expect(await admin.refused('domain', 'forget')).toContain('--domain');
});
