/**
 * The browser's Email Verification Protocol beside the widget, in the whole Chromium with the flags of the trial, and a
 * mail provider on loopback. Each visitor has a browser of their own, because its arguments name the provider's port.
 */
import { chromium } from '@playwright/test';
import { type EmailTokenOptions, verifyEmailToken } from 'email-verify-widget/server';
import {
  MAILBOX,
  type MailProvider,
  PROVIDER_URL,
  startMailProvider,
} from '../src/service/demo/mail-provider.ts';
import { test as base, expect, FORM, PATIENT } from './fixtures.ts';
import type { Embedding } from './pages/documents.ts';
import type { Submission } from './pages/site.ts';
import { snippet } from './pages/snippets.ts';
import { started } from './pages/started.ts';
import { type OpenOptions, WidgetPage } from './pages/widget-page.ts';

const NONCE = 'nonce-of-this-session';
const TOKEN_INPUT = `<input type="hidden" name="evt" autocomplete="email-verification-token" nonce="${NONCE}">`;
const WITH_TOKEN = FORM.replace('</form>', `${TOKEN_INPUT}</form>`);
const RULES = '--host-resolver-rules=';

interface Fixtures {
  provider: MailProvider;
  /** A page in a browser that tries the protocol, of a visitor who has signed in at the provider. */
  visitor: WidgetPage;
}

const test = base.extend<Fixtures>({
  provider: started(() => startMailProvider()),
  visitor: async ({ provider, service, site }, use, { project }) => {
    const { args = [], ...launch } = project.use.launchOptions ?? {};
    const own = provider.chromiumArguments;
    const rules = [...own, ...args].filter((each) => each.startsWith(RULES));
    const context = await chromium.launchPersistentContext('', {
      ...launch,
      args: [
        ...[...args, ...own].filter((each) => !each.startsWith(RULES)),
        // The browser takes the first rule that fits.
        RULES + rules.map((each) => each.slice(RULES.length)).join(', '),
      ],
    });
    const [page = await context.newPage()] = context.pages();
    const visitor = await WidgetPage.on(page, site, service);
    await page.goto(PROVIDER_URL);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await use(visitor);
    expect(visitor.pageErrors).toEqual([]);
    await context.close();
  },
});

/** What the page's server says of the token of a submission. */
async function verdictOf(
  { fields }: Submission,
  { provider, visitor }: Fixtures,
  expected: Partial<EmailTokenOptions> = {},
) {
  return verifyEmailToken(fields.evt, {
    email: fields.email,
    origin: visitor.site.origin(),
    nonce: NONCE,
    resolve: provider.resolve,
    fetch: provider.fetch,
    ...expected,
  });
}

/** The provider has issued a token, and the browser has fetched the keys that it verifies it with. */
const waitForToken = (provider: MailProvider) => expect.poll(() => provider.asked).toContain('GET /jwks');

const open = (visitor: WidgetPage, body = WITH_TOKEN, options: OpenOptions = {}) =>
  visitor.open(body, { clock: 'real', ...PATIENT, ...options });

const ABSENT = { ok: false, reason: 'absent' };
const VERIFIED = { ok: true, email: MAILBOX, issuer: 'accounts.provider.localhost', isPrivate: false };

/** Types an address, and goes on to the next field. Only then does the browser ask the provider. */
async function typeAndLeave({ email }: WidgetPage, address = MAILBOX): Promise<void> {
  await email.pressSequentially(address);
  await email.press('Tab');
}

/** Presses the button. @returns what the page's server says of the token that comes */
async function send(fixtures: Fixtures, submit = () => fixtures.visitor.send.click()) {
  const { site } = fixtures.visitor;
  const before = site.submissions.length;
  await submit();
  return verdictOf(await site.submission(before + 1), fixtures);
}

/** Submits until a token comes with the form: the browser does not say when it has one, and the page stays. */
async function expectVerified(fixtures: Fixtures, submit?: () => Promise<void>): Promise<void> {
  await waitForToken(fixtures.provider);
  await expect.poll(() => send(fixtures, submit)).toEqual(VERIFIED);
}

for (const embed of ['queue', 'none'] satisfies Embedding[])
  test(`comes with a form, bound to address, page and session (${embed})`, async ({ provider, visitor }) => {
    await open(visitor, WITH_TOKEN, { embed });
    await typeAndLeave(visitor);
    await expectVerified({ provider, visitor });
    const submission = visitor.site.submissions.at(-1);
    const refusals = [
      await verdictOf(submission!, { provider, visitor }, { nonce: 'of another session' }),
      await verdictOf(submission!, { provider, visitor }, { email: 'bob@example.com' }),
      await verdictOf(submission!, { provider, visitor }, { origin: 'http://evil.test' }),
    ];
    expect(refusals.map(({ reason }) => reason)).toEqual(['nonce', 'other-address', 'audience']);
  });

test('is absent for a domain that names no issuer, and holds nobody up', async ({ provider, visitor }) => {
  await open(visitor);
  await typeAndLeave(visitor, 'anna@elsewhere.test');
  expect(await send({ provider, visitor })).toEqual(ABSENT);
  expect(provider.asked).not.toContain('POST /issue');
});

test('is absent for a visitor who has signed out, and holds nobody up', async ({ provider, visitor }) => {
  await visitor.page.getByRole('button', { name: 'Sign out' }).click();
  await expect(visitor.page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await open(visitor);
  await typeAndLeave(visitor);
  expect(await send({ provider, visitor })).toEqual(ABSENT);
  expect(provider.asked).not.toContain('POST /issue');
});

test('does not come with an address that was edited afterwards', async ({ provider, visitor }) => {
  await open(visitor);
  await typeAndLeave(visitor);
  await waitForToken(provider);
  await visitor.email.fill('');
  await typeAndLeave(visitor, 'bob@example.com');
  expect(await send({ provider, visitor })).toEqual(ABSENT);
  expect(visitor.site.submissions[0]?.fields.email).toBe('bob@example.com');
});

test('comes with a held submission whose button was pressed at once', async ({ provider, visitor }) => {
  await expect(async () => {
    provider.asked.splice(0);
    visitor.service.hold();
    await open(visitor);
    await visitor.email.pressSequentially(MAILBOX);
    const verdict = await send({ provider, visitor }, async () => {
      await visitor.send.click();
      await waitForToken(provider);
      visitor.service.release();
    });
    expect(verdict).toEqual(VERIFIED);
    // The browser may need a moment more for the token than for the keys.
  }).toPass();
});

test('is absent if Enter was pressed in the field, which was never left', async ({ provider, visitor }) => {
  visitor.service.hold();
  await open(visitor);
  await visitor.email.pressSequentially(MAILBOX);
  const verdict = await send({ provider, visitor }, async () => {
    await visitor.email.press('Enter');
    await visitor.service.nextRequest();
    visitor.service.release();
  });
  expect(verdict).toEqual(ABSENT);
});

test('comes after Enter with the recipe’s lines and a held submission', async ({ provider, visitor }) => {
  const after = await snippet('After Enter', 1, 'recipes/browser-proof');
  await expect(async () => {
    provider.asked.splice(0);
    visitor.service.hold();
    await open(visitor, WITH_TOKEN, { after });
    await visitor.email.pressSequentially(MAILBOX);
    const verdict = await send({ provider, visitor }, async () => {
      await visitor.email.press('Enter');
      await waitForToken(provider);
      visitor.service.release();
    });
    await expect(visitor.email).toBeFocused();
    expect(verdict).toEqual(VERIFIED);
    // The browser may need a moment more for the token than for the keys.
  }).toPass();
});

test('comes with a form that a script submits by requestSubmit()', async ({ provider, visitor }) => {
  await open(visitor);
  await typeAndLeave(visitor);
  await expectVerified({ provider, visitor }, () =>
    visitor.page.evaluate(() => document.querySelector('form')!.requestSubmit()),
  );
});

test('is absent from a form sent by submit(), which fires no event', async ({ provider, visitor }) => {
  await open(visitor);
  await typeAndLeave(visitor);
  await waitForToken(provider);
  const submit = () => visitor.page.evaluate(() => document.querySelector('form')!.submit());
  expect(await send({ provider, visitor }, submit)).toEqual(ABSENT);
  // The browser has had it: the next `submit` event writes it.
  await expectVerified({ provider, visitor });
});

test('comes with the data of a form that a script makes and sends itself', async ({ provider, visitor }) => {
  await open(visitor, '<main></main>', {
    after: `document.querySelector('main').innerHTML = ${JSON.stringify(WITH_TOKEN)};
      document.querySelector('form').addEventListener('submit', (event) => {
        event.preventDefault();
        fetch('/submit', { method: 'POST', body: new FormData(event.target) });
      });`,
  });
  await typeAndLeave(visitor);
  await expectVerified({ provider, visitor });
});

test.describe('under a strict Content Security Policy', () => {
  const openStrict = async (visitor: WidgetPage, origin: string, head = '') => {
    const policy = `default-src 'none'; script-src 'self' ${origin}; connect-src ${origin}; form-action 'self'; frame-src 'self'; base-uri 'none'; require-trusted-types-for 'script'`;
    await open(visitor, WITH_TOKEN, { embed: 'data', head, headers: { 'content-security-policy': policy } });
  };

  test('is absent, because the policy empties the attribute nonce', async ({ provider, visitor }) => {
    await openStrict(visitor, visitor.service.origin);
    expect(await visitor.page.locator('[name=evt]').getAttribute('nonce')).toBe('');
    await typeAndLeave(visitor);
    expect(await send({ provider, visitor })).toEqual(ABSENT);
    expect(provider.asked).not.toContain('POST /issue');
  });

  test('comes once the page has put the nonce back', async ({ provider, service, site, visitor }) => {
    const code = await snippet('Under a Content Security Policy', 1, 'recipes/browser-proof');
    const head = `<script type="module" src="${site.script(code)}"></script>`;
    await openStrict(visitor, service.origin, head);
    await typeAndLeave(visitor);
    await expectVerified({ provider, visitor });
    expect(await visitor.violations()).toEqual([]);
  });
});
