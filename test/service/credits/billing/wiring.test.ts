/** Payments in processes with everything that the service has. */
import { expect, it, vi } from 'vitest';
import { settleBilling } from '../../../../src/service/config/sections/billing-section.ts';
import { createMetrics } from '../../../../src/service/operations/metrics/metrics.ts';
import { inLong } from '../../../in-long.ts';
import { figureOf, parseText } from '../../operations/metrics/scrape.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { BILLING_SECRET, pays, says, startBillingServer } from '../../support/billing-server.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { passSeconds, paymentsOf } from '../../support/payments.ts';
import { runService } from '../../support/running-service.ts';
import { createScript, failureOf, makeCustomer } from '../../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();

it.each(['all', 'web', 'worker'] as const)('asks again in a process with the role %s', async (role) => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  await db
    .insertInto('payments')
    .values({ id: `of ${role}`, account: accountId, needed: 5 })
    .execute();
  const metrics = createMetrics({ role, version: '1', keepMs: 0 });
  const billing = settleBilling({ url: server.url, secret: BILLING_SECRET });
  const service = runService(databaseUrl, { role, billing, metrics });
  await service.opened.ready;
  await vi.waitFor(async () => expect(await creditsOf(db, accountId)).toBe(10), PATIENTLY);
  const ended = async () =>
    figureOf(parseText(await metrics.read()), 'evw_payments_ended_total', { outcome: 'credited' });
  await vi.waitFor(async () => expect(await ended()).toBe(1), PATIENTLY);
});

inLong(
  'answers 402 to a verification and a batch while billing fails, and both go on once it has paid',
  async () => {
    const server = await startBillingServer();
    const { verifier } = createScript();
    const billing = settleBilling({ url: server.url, secret: BILLING_SECRET });
    const service = runService(databaseUrl, { billing, verifier });
    await service.opened.ready;
    const { accountId, headers } = await makeCustomer(db, 0, { mode: 'live' });
    const verify = () => service.ask({ url: '/v1/verify?email=jo@company.example', headers });
    const post = () =>
      service.ask({
        ...{ method: 'POST', url: '/v1/batch', payload: { emails: ['a@b.example', 'c@d.example'] } },
        headers: { ...headers, 'content-type': 'application/json' },
      });
    server.answer = says(503, {});
    const goesOn =
      /^Expected \d credits?, got 0\. The billing service did not answer, and the payment goes on\./;
    for (const answer of [await verify(), await post()])
      expect(failureOf(answer)).toEqual([402, expect.stringMatching(goesOn)]);
    const [payment] = await paymentsOf(db, accountId);
    server.answer = pays;
    await passSeconds(db, 300);
    await vi.waitFor(async () => expect(await creditsOf(db, accountId)).toBe(10), PATIENTLY);
    expect([(await verify()).statusCode, (await post()).statusCode]).toEqual([200, 200]);
    expect([...server.charged.keys()]).toEqual([`msg_${payment!.id}`]);
    expect(await paymentsOf(db, accountId)).toHaveLength(1);
  },
);

it.each([
  [false, 402, []],
  [true, 200, ['credited']],
] as const)(
  'pays for the visitors of a page only where the operator wants it: %s',
  async (publicKeys, status, outcomes) => {
    const server = await startBillingServer();
    const { verifier } = createScript();
    const billing = settleBilling({ url: server.url, secret: BILLING_SECRET, publicKeys });
    const service = runService(databaseUrl, { billing, verifier });
    await service.opened.ready;
    const { accountId, key } = await makeCustomer(db, 0, { kind: 'public', mode: 'live' });
    const url = `/v1/verify?api_key=${key}&email=visitor@company.example`;
    const answer = await service.ask({ url, headers: { origin: 'https://shop.example' } });
    expect(answer.statusCode).toBe(status);
    expect((await paymentsOf(db, accountId)).map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(server.requests).toHaveLength(outcomes.length);
  },
);
