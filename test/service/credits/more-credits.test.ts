import { describe, expect, it } from 'vitest';
import { creditsMissing } from '../../../src/service/credits/missing-credits.ts';
import { moreCreditsOf } from '../../../src/service/credits/more-credits.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { createScript, startStoredService, storeKey } from '../support/stored-service.ts';

const { db } = await testDatabase();

const PAGE = 'https://pay.example/{account}?from={account}';

it('puts the account into the URL of the billing page, and prefers that to the support', () => {
  const both = { billingPage: PAGE, support: 'Write to us.' };
  expect(moreCreditsOf(both, 'acc_1')).toEqual({ billing_page: 'https://pay.example/acc_1?from=acc_1' });
  expect(moreCreditsOf({ ...both, billingPage: undefined }, 'acc_1')).toEqual({ support: 'Write to us.' });
  expect(moreCreditsOf({ billingPage: undefined, support: undefined }, 'acc_1')).toEqual({});
});

it('says in the message of the service itself where credits come from, and leaves that of billing alone', () => {
  const missing = { needed: 2, available: 1 };
  const start = 'This request needs 2 credits, and the account has 1. Add credits to the account';
  expect(creditsMissing(missing).message).toBe(`${start}.`);
  const billing_page = 'https://pay.example';
  expect(creditsMissing(missing, { billing_page }).message).toBe(`${start} at ${billing_page}`);
  expect(creditsMissing(missing, { support: 'Write to us.' }).message).toBe(`${start}. Write to us.`);
  const refused = creditsMissing({ ...missing, message: 'Declined.' }, { support: 'Write to us.' });
  expect([refused.message, refused.fields]).toEqual(['Declined.', { support: 'Write to us.' }]);
});

describe('a 402', async () => {
  const { verifier } = createScript();
  const billingPage = 'https://pay.example/{account}';
  const ask = async (settings: object, kind: 'public' | 'private') => {
    const service = await startStoredService(db, { verifier, ...settings });
    const accountId = await makeAccount(db);
    const key = await storeKey(db, accountId, { kind, mode: 'live' });
    const bearer = { authorization: `Bearer ${key.key}`, origin: 'https://shop.example' };
    const verified = await service.ask({ url: '/v1/verify?email=a@x.example', headers: bearer });
    const batch = await service.ask({
      ...{ method: 'POST', url: '/v1/batch', headers: bearer },
      payload: { emails: ['a@x.example', 'b@x.example'] },
    });
    return { accountId, verified, batch };
  };

  it('has the URL of the billing page for the account, of a verification and of a batch', async () => {
    const { accountId, verified, batch } = await ask({ billingPage }, 'private');
    const missing = (credits: RegExp) => ({
      message: expect.stringMatching(credits),
      billing_page: `https://pay.example/${accountId}`,
    });
    expect([verified.statusCode, verified.json()]).toEqual([402, missing(/1 .* 0/)]);
    expect([batch.statusCode, batch.json()]).toEqual([402, missing(/2 .* 0/)]);
  });

  it('has the support without such a page, and only the message without both', async () => {
    const support = 'help@example.com';
    const { verified } = await ask({ support }, 'private');
    expect(verified.json()).toEqual({ message: expect.stringContaining(support), support });
    expect(Object.keys((await ask({}, 'private')).batch.json())).toEqual(['message']);
  });

  it('tells nothing of it to the visitors of a page', async () => {
    const { verified } = await ask({ billingPage, support: 'x' }, 'public');
    expect([verified.statusCode, Object.keys(verified.json())]).toEqual([402, ['message']]);
    expect(verified.body).not.toContain('pay.example');
  });
});
