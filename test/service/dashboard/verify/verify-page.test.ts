/** `/dashboard/verify` as a person without scripts sees it. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Verified, Verifier } from '../../../../src/engine/verifier.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { scriptVerifier } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { resultOf } from '../../support/result.ts';
import {
  beginSecond,
  createScript,
  passAtOnce,
  type StoredServiceOptions,
  startStoredService,
} from '../../support/stored-service.ts';
import { arrive, Visitor } from '../../support/visitor.ts';

const { db } = await testDatabase();

async function start(options: StoredServiceOptions = {}, credits = 10) {
  const service = await startStoredService(db, options);
  const { person, visitor } = await arrive(service, db, credits);
  await visitor.open('/dashboard/verify');
  return { ...service, person, visitor };
}

const startLive = (options: StoredServiceOptions = {}, credits?: number) =>
  start({ verifier: createScript().verifier, ...options }, credits);

const verify = async (visitor: Visitor, address: string, fields: Record<string, string | null> = {}) => {
  await visitor.open('/dashboard/verify');
  return visitor.press('Verify', { 'Email address': address, ...fields });
};
const headline = (visitor: Visitor) => visitor.document.querySelector('#headline')?.textContent;

describe('a live verification', () => {
  it('costs a credit, and its page can be opened again for nothing', async () => {
    const { verifier, asked } = createScript();
    const { visitor, person } = await start({ verifier });
    await verify(visitor, ' ada@example.org ', { accept_all: 'true' });
    expect(visitor.status).toBe(303);
    expect(visitor.location).toMatch(/^\/dashboard\/verify\/result\?of=[\w-]+$/);
    const { location } = visitor;
    await visitor.follow();
    expect(headline(visitor)).toBe('This address can receive email');
    for (let reloads = 0; reloads < 3; reloads += 1) await visitor.open(location!);
    expect(visitor.status).toBe(200);
    expect(visitor.document.querySelector('h1')!.textContent).toBe('ada@example.org');
    expect(visitor.document.title).toMatch(/^Result/);
    expect([asked, await creditsOf(db, person.id)]).toEqual([['ada@example.org'], 9]);
  });

  it('is free when the button is pressed again within five minutes, also by two presses at once', async () => {
    const script = scriptVerifier();
    const { visitor, person } = await start({ verifier: script.verifier });
    const { action, sent } = visitor.formOf('Verify');
    const form = { ...sent, address: 'ada@example.org' };
    const again = visitor.copy();
    const presses = Promise.all([visitor.post(action, form), again.post(action, form)]);
    await script.called(1);
    script.answer('deliverable');
    await presses;
    await (await visitor.post(action, form)).follow();
    expect(headline(visitor)).toBe('This address can receive email');
    await again.follow();
    expect(headline(again)).toBe('This address can receive email');
    expect([script.calls.length, await creditsOf(db, person.id)]).toEqual([1, 9]);
  });

  it('goes on when the time is over, and the page looks for the result by itself', async () => {
    const { promise: later, resolve: finish } = withResolvers<Verified>();
    // As the engine answers when the time is over.
    const verifier: Verifier = async () => ({ result: undefined, later });
    const { visitor, person } = await start({ verifier, deadlineAfter: passAtOnce });
    const { action, sent } = visitor.formOf('Verify');
    const sentForm = { ...sent, address: 'slow@example.org' };
    await visitor.post(action, sentForm);
    const { location } = visitor;
    await visitor.follow();
    expect(headline(visitor)).toBe('The verification is still running');
    expect(visitor.document.querySelector('#result')!.getAttribute('data-live')).toBe('2');
    expect(visitor.response.body).toMatch(
      /<noscript><meta http-equiv="refresh" content="2;url=\?of=[\w-]+&amp;by_itself=1"><\/noscript>/,
    );
    finish({ result: resultOf('slow@example.org', 'unknown'), evidence: [] });
    await expect
      .poll(async () => headline(await visitor.open(location!)))
      .toBe('We do not know: no mail server of the domain could be reached');
    expect(visitor.document.querySelector('#result')!.hasAttribute('data-live')).toBe(false);
    // Unknown results cost nothing.
    expect(await creditsOf(db, person.id)).toBe(10);
    expect(await ledgerOf(db, person.id)).toMatchObject({ verification: 1, refund: 1 });
  });

  it('says in time that a result is gone, or that the verification was interrupted', async () => {
    const { visitor } = await startLive();
    await verify(visitor, 'ada@example.org');
    const { location } = visitor;
    await db.deleteFrom('verifications').execute();
    await visitor.open(location!);
    expect(visitor.status).toBe(404);
    expect(visitor.text).toContain('The verification was interrupted. It cost no credit.');
    await visitor.openLink('.empty a');
    expect(visitor.valueOf('Email address')).toBe('ada@example.org');
  });

  it('says that results are kept for a time, in this browser only', async () => {
    const { visitor, person, app } = await startLive({ durations: { verifyAgain: 1 } });
    await verify(visitor, 'ada@example.org');
    const { location } = visitor;
    const other = await new Visitor(app).signIn(person);
    await other.open(location!);
    expect(other.status).toBe(404);
    expect(other.text).toContain('only for the browser that requested them');
    expect(other.text).not.toContain('ada@example.org');
    await db.deleteFrom('verifications').execute();
    // The clock of the database counts.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await vi.waitFor(
      async () => expect((await visitor.open(location!)).text).toContain('Results are kept for 1 second'),
      PATIENTLY,
    );
  });

  it('shows a result on 0 credits that was paid for, and says what is missing for another', async () => {
    const { visitor, person } = await startLive({}, 1);
    await verify(visitor, 'ada@example.org');
    expect(visitor.status).toBe(303);
    await verify(visitor, 'bo@example.org', { mode: 'live' });
    expect(visitor.status).toBe(402);
    expect(visitor.document.querySelector('[role=alert]')!.textContent).toBe(
      'Your account has no credits, so the address was not verified. Ask the operator for credits, or choose “Test”.',
    );
    expect(visitor.valueOf('Email address')).toBe('bo@example.org');
    expect(await creditsOf(db, person.id)).toBe(0);
  });

  it('is not the first choice of an account without credits', async () => {
    const { verifier } = createScript();
    const chosen = ({ document }: Visitor) =>
      document.querySelector('[name=mode][checked]')!.getAttribute('value');
    const poor = await start({ verifier }, 0);
    expect(chosen(poor.visitor)).toBe('test');
    expect(poor.visitor.text).toContain('Your account has no credits.');
    const payment = { id: `of ${poor.person.id}`, account: poor.person.id, needed: 1 };
    await db.insertInto('payments').values(payment).execute();
    await poor.visitor.open('/dashboard/verify');
    expect(poor.visitor.text).toContain('Your account has no credits. A payment is in progress.');
    const rich = await start({ verifier });
    expect([chosen(rich.visitor), rich.visitor.text.includes('no credits')]).toEqual(['live', false]);
  });

  it('says that nothing was charged when the server is busy', async () => {
    const script = scriptVerifier();
    const { visitor, person } = await start({ verifier: script.verifier, live: { concurrency: 1 } });
    const { action, sent } = visitor.formOf('Verify');
    const first = visitor.copy().post(action, { ...sent, address: 'ada@example.org' });
    await script.called(1);
    await visitor.post(action, { ...sent, address: 'bo@example.org' });
    expect([visitor.status, visitor.response.headers['retry-after']]).toEqual([503, '1']);
    expect(visitor.document.querySelector('[role=alert]')!.textContent).toBe(
      'This server is too busy at the moment, so the address was not verified. It cost no credit. Try again in a moment.',
    );
    expect(visitor.valueOf('Email address')).toBe('bo@example.org');
    script.answer('deliverable');
    await first;
    expect(await creditsOf(db, person.id)).toBe(9);
  });

  it.each(['nonsense', 'a b@example.org', 'ada@', '@example.org', 'ada@@example.org'])(
    'costs nothing for %j, which is no address',
    async (address) => {
      const { verifier, asked } = createScript();
      const { visitor, person } = await start({ verifier });
      await verify(visitor, address);
      expect([visitor.status, visitor.document.querySelector('[role=alert]')!.textContent]).toEqual([
        422,
        'This is not an email address, so it was not verified. It cost no credit.',
      ]);
      expect(visitor.document.querySelector('#address[autofocus]')?.getAttribute('aria-invalid')).toBe(
        'true',
      );
      expect(visitor.valueOf('Email address')).toBe(address);
      expect([asked, await creditsOf(db, person.id)]).toEqual([[], 10]);
    },
  );

  it('counts for the rate limit of the account, in test mode too', async () => {
    const { visitor, person } = await startLive({ limits: { verifyPerSecond: 1 } });
    await beginSecond(db, person.id, '/v1/verify');
    await verify(visitor, 'ada@example.org', { mode: 'test' });
    expect([visitor.status, visitor.response.headers['retry-after']]).toEqual([429, '1']);
    expect(visitor.text).toContain('so the address was not verified.');
    await db.updateTable('accounts').set({ verify_per_second: 100 }).where('id', '=', person.id).execute();
    await verify(visitor, 'ada@example.org', { mode: 'test' });
    expect(visitor.status).toBe(303);
  });

  it('is not begun while no mail server can be reached', async () => {
    const { verifier, asked } = createScript();
    const { visitor, person } = await start({ verifier, isPortClosed: () => true });
    await verify(visitor, 'ada@example.org');
    expect([visitor.status, asked, await creditsOf(db, person.id)]).toEqual([503, [], 10]);
    expect(visitor.text).toContain('This server cannot reach any mail server at the moment, so');
  });

  it('leaves a fault of ours to the page for faults', async () => {
    const { visitor } = await start({ verifier: () => Promise.reject(new Error('broken')) });
    await verify(visitor, 'ada@example.org');
    expect([visitor.status, visitor.text.includes('Something went wrong')]).toEqual([500, true]);
  });
});

describe('a test verification', () => {
  it('is all that a service without live keys offers, and costs nothing', async () => {
    const { visitor, person } = await start();
    expect(visitor.text).toContain('This server has no live verification');
    expect(visitor.document.querySelectorAll('[name=mode]')).toHaveLength(1);
    await verify(visitor, 'undeliverable@example.com');
    await visitor.follow();
    expect(headline(visitor)).toMatch(/^Do not send to this address/);
    expect(visitor.text).toContain('This is a sample result');
    expect(visitor.text).toContain('Sample results are computed');
    await verify(visitor, 'ada@example.org', { mode: 'live' });
    expect(visitor.status).toBe(503);
    expect(visitor.text).toContain('Choose “Test”, or ask the operator for live verification.');
    expect(await creditsOf(db, person.id)).toBe(10);
  });

  it('offers the address that was probably meant, in the form', async () => {
    const { visitor } = await start();
    await verify(visitor, 'jane@gmial.com');
    await visitor.follow();
    const suggestion = visitor.document.querySelector('.verdict a')!;
    expect(suggestion.textContent).toBe('jane@gmail.com');
    expect(suggestion.getAttribute('href')).not.toContain('jane');
    await visitor.open(suggestion.getAttribute('href')!);
    expect(visitor.valueOf('Email address')).toBe('jane@gmail.com');
  });

  it('says what programs get for the slow test address', async () => {
    const { visitor } = await start();
    await verify(visitor, 'slow@example.com');
    await visitor.follow();
    expect(headline(visitor)).toBe('This test address never has a result');
    expect(visitor.response.body).not.toContain('http-equiv="refresh"');
  });
});

describe('the form', () => {
  it.each([
    ['', 'Type an address to verify.'],
    ['   ', 'Type an address to verify.'],
    ['x'.repeat(1001), 'Expected an address of at most 1000 characters, got 1001.'],
  ])('does not take %j, and says why', async (address, why) => {
    const { visitor } = await start();
    await verify(visitor, address, { accept_all: 'true' });
    expect([visitor.status, visitor.text.includes(why)]).toEqual([422, true]);
    expect(visitor.document.querySelector('#address[autofocus]')?.getAttribute('aria-invalid')).toBe('true');
    expect(visitor.valueOf('Email address')).toBe(address.trim());
    expect(visitor.document.querySelector('[name=accept_all][checked]')).not.toBeNull();
  });

  it('takes what is no address, and says so as a result', async () => {
    const { visitor } = await start();
    await verify(visitor, '<b>no address</b>');
    await visitor.follow();
    expect(headline(visitor)).toBe('This is not an email address');
    expect(visitor.document.querySelector('h1')!.textContent).toBe('<b>no address</b>');
  });

  it('comes back empty for a link that was made for nobody', async () => {
    const { visitor } = await start();
    for (const of of ['', 'x', 'A'.repeat(80), '&of=x&of=y']) {
      await visitor.open(`/dashboard/verify?of=${of}`);
      expect([visitor.status, visitor.valueOf('Email address')]).toEqual([200, '']);
      expect((await visitor.open(`/dashboard/verify/result?of=${of}`)).status).toBe(404);
    }
  });

  it('does nothing without a session or with a form of another session', async () => {
    const { visitor, app } = await start();
    const { action, sent } = visitor.formOf('Verify');
    const stranger = await new Visitor(app).open('/dashboard/verify');
    expect(stranger.has('Sign in')).toBe(true);
    expect((await stranger.post(action, { ...sent, address: 'a@b.example' })).status).toBe(403);
    expect((await visitor.post(action, { address: 'a@b.example' })).status).toBe(403);
  });
});

describe('the page of a result', () => {
  beforeEach(async () => {
    await db.deleteFrom('verifications').execute();
  });

  it('has every field, the steps, and a command that does the same', async () => {
    const evidence = [
      { atMs: 0, tookMs: 31, stage: 'dns', text: 'Mail hosts: mx.example.org (192.0.2.1)' },
      {
        atMs: 31,
        tookMs: 5,
        stage: 'banner',
        server: 'mx.example.org',
        code: 220,
        rule: 'accepted',
        text: '220 hello',
      },
      {
        atMs: 40,
        stage: 'rcpt',
        server: 'mx.example.org',
        code: 550,
        rule: 'no such mailbox: 5.1.1',
        text: 'RCPT TO: "5.1.1 no <b>such</b> user"',
      },
      {
        atMs: 41,
        stage: 'verdict',
        rule: 'there is no such mailbox',
        text: 'rejected_email, so undeliverable, score 0',
      },
    ] as const;
    const result = { ...resultOf("o'hara@example.org", 'undeliverable'), reason: 'rejected_email' as const };
    const { visitor } = await start({
      verifier: async () => ({ result, evidence }),
      publicUrl: 'https://v.example',
    });
    await verify(visitor, "o'hara@example.org", { accept_all: 'true' });
    await visitor.follow();
    const { document } = visitor;
    const [fields, steps] = [...document.querySelectorAll('table')];
    expect(fields!.querySelectorAll('tbody tr')).toHaveLength(21);
    const email = fields!.querySelector('tbody tr:has(wbr) td.value bdi')!;
    expect(email.textContent).toContain('.');
    expect(email.innerHTML).toMatch(/<wbr>[@.]/);
    expect(steps!.querySelectorAll('tbody tr')).toHaveLength(4);
    expect(steps!.querySelectorAll('rect:not(.whole)')).toHaveLength(4);
    expect(steps!.textContent).toContain('550 RCPT TO: "5.1.1 no <b>such</b> user"');
    const said = 'no such mailbox: 5.1.1. The server says that it has no such mailbox.';
    expect(steps!.textContent).toContain(said);
    expect(steps!.textContent).not.toContain('Rule: accepted');
    expect(document.querySelector('#curl')!.textContent).toBe(
      "curl -G 'https://v.example/v1/verify/explain' \\\n  -H 'Authorization: Bearer live_your_private_key' \\\n  --data-urlencode 'email=o'\\''hara@example.org' \\\n  -d accept_all=true",
    );
    const levels = [...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => tagName);
    expect(levels).toEqual(['H1', 'H2', 'H2', 'H2', 'H2']);
  });

  it('says so if nothing is known about the steps', async () => {
    const { visitor } = await startLive();
    await verify(visitor, 'ada@example.org');
    expect((await visitor.follow()).text).toContain('The steps of this verification are not available.');
  });

  it('leaves no address in the database', async () => {
    const { visitor } = await startLive();
    await verify(visitor, 'very-rare@example.org');
    const rows = await db.selectFrom('verifications').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(rows.map((row) => row.outcome!.toString('latin1')).join()).not.toContain('very-rare');
    expect(await db.selectFrom('idempotency').selectAll().execute()).toEqual([]);
  });
});
