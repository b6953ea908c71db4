/** Runs the recipes in docs/recipes word for word, with the URL of the script replaced. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { deliverable, expect, test, undeliverable } from './fixtures.ts';
import { type RunningService, startService } from './pages/service-process.ts';
import { snippet } from './pages/snippets.ts';
import type { WidgetPage } from './pages/widget-page.ts';
import { faceScript, widgetScript } from './widget-files.ts';

const RECIPES = new URL('../docs/recipes/', import.meta.url);
const GOOD = 'joe@company.example';
const BAD = 'no@company.example';
const FREE = 'joe@free.example';
const ROLE = 'info@company.example';
const GONE_SOON = 'joe@disposable.example';
/** From the default texts. */
const INVALID = 'This address does not seem to exist.';

test.beforeEach(({ service }) => {
  service.answer(BAD, undeliverable());
  service.answer(FREE, deliverable({ free: true }));
  service.answer(ROLE, deliverable({ role: true }));
  service.answer(GONE_SOON, deliverable({ disposable: true }));
});

test.afterEach(({ widgetPage }) => {
  expect(widgetPage.warnings, 'what the widget says to its author').toEqual([]);
});

/** The code under a heading of a recipe. */
const recipe = (name: string, heading: string, number = 1) => snippet(heading, number, `recipes/${name}`);

/** Opens it, with the script from the test's service. */
async function open(
  widgetPage: WidgetPage,
  name: string,
  heading: string,
  { number = 1, headers = {} }: { number?: number; headers?: Record<string, string> } = {},
): Promise<void> {
  const page = await recipe(name, heading, number);
  expect(page).toContain('https://widget.example/');
  await widgetPage.openDocument(page.replaceAll('https://widget.example', widgetPage.service.origin), {
    headers,
  });
}

/** Enters an address, and expects its state and the text of the status. */
async function expectVerdict(widgetPage: WidgetPage, address: string, state: string, message: string) {
  await widgetPage.enter(address);
  await widgetPage.expectState(state);
  await expect(widgetPage.status).toHaveText(message);
}

/** Presses the form's button. @returns the submission that arrives */
async function send(widgetPage: WidgetPage) {
  const { page, site } = widgetPage;
  const before = site.submissions.length;
  await page.getByRole('button').last().click();
  const submission = await site.submission(before + 1);
  await widgetPage.arrive();
  return submission;
}

test('accepts everything but disposable addresses, or business addresses only', async ({ widgetPage }) => {
  await open(widgetPage, 'disposable', 'Block disposable addresses only');
  await expectVerdict(widgetPage, GONE_SOON, 'rejected', 'Please use a permanent address.');
  await widgetPage.page.getByRole('button').click();
  await widgetPage.expectSubmissions(0, 500);
  await expectVerdict(widgetPage, BAD, 'accepted', '');
  expect((await send(widgetPage)).fields).toEqual({ email: BAD });

  await open(widgetPage, 'business', 'Business addresses only');
  await expectVerdict(widgetPage, FREE, 'rejected', 'Please use your address at work.');
  await widgetPage.page.getByRole('button').click();
  await widgetPage.expectSubmissions(1, 500);
  await expectVerdict(widgetPage, ROLE, 'accepted', 'Please use your own address: we can answer you sooner.');
  expect((await send(widgetPage)).fields).toEqual({ email: ROLE });
});

test('shows messages in an element of the page', async ({ page, widgetPage }) => {
  await open(widgetPage, 'own-element', "The widget's status element in your layout");
  await expectVerdict(widgetPage, BAD, 'rejected', INVALID);
  await expect(page.locator('.note .email-verify-status')).toBeVisible();
  await expect(widgetPage.email).toHaveAccessibleDescription(INVALID);

  await open(widgetPage, 'own-element', 'Your own element and texts');
  const own = page.getByRole('status').and(page.locator('.field-error'));
  await widgetPage.enter(BAD);
  await expect(own).toHaveText(INVALID);
  await expect(widgetPage.status).toBeHidden();
  await page.getByRole('button').click();
  await widgetPage.expectSubmissions(0, 500);
  await widgetPage.email.fill(GOOD);
  await expect(own).toHaveText('');
  expect((await send(widgetPage)).fields).toEqual({ email: GOOD });
});

test('shows and blocks nothing with events only, and the page knows the result', async ({ widgetPage }) => {
  await open(widgetPage, 'events-only', 'Events only');
  const state = widgetPage.page.locator('[name=address_state]');
  await widgetPage.enter(BAD);
  await expect(state).toHaveValue('undeliverable');
  await expect(widgetPage.status).toHaveText('');
  expect((await send(widgetPage)).fields).toEqual({ email: BAD, address_state: 'undeliverable' });

  await open(widgetPage, 'events-only', 'Events only');
  widgetPage.service.hold(GOOD);
  await widgetPage.enter(GOOD);
  await widgetPage.service.nextRequest();
  expect((await send(widgetPage)).fields).toEqual({ email: GOOD, address_state: 'unknown' });
});

for (const [name, heading] of [
  ['events-only', 'Events only'],
  ['analytics', 'Counting verdicts'],
] as const) {
  test(`${name}: ignores an image that fails to load, and events of others`, async ({ page, widgetPage }) => {
    const logged: string[] = [];
    page.on('console', (message) => logged.push(message.text()));
    await open(widgetPage, name, heading);
    await page.evaluate(async () => {
      const form = document.querySelector('form')!;
      const image = document.createElement('img');
      const hasFailed = new Promise((resolve) => image.addEventListener('error', resolve));
      image.src = 'data:image/png,broken';
      form.append(image);
      await hasFailed;
      // A captcha's own element fires a \`verified\` event as well, with another detail.
      const other = form.appendChild(document.createElement('other-element'));
      for (const type of ['verified', 'error']) {
        other.dispatchEvent(new Event(type, { bubbles: true }));
        other.dispatchEvent(new CustomEvent(type, { bubbles: true }));
        other.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: { payload: 'token' } }));
      }
    });
    expect(widgetPage.pageErrors).toEqual([]);

    // The listeners still get the widget's own events, and only these.
    widgetPage.service.answer(GOOD, 503);
    await widgetPage.enter(GOOD);
    await widgetPage.expectState('error');
    await widgetPage.enterRejected(BAD);
    const heard = await page.evaluate(() => {
      const state = document.querySelector<HTMLInputElement>('[name=address_state]');
      // The recipe's constant is not a property of `window`. Only code in the page finds it.
      return state ? state.value : JSON.stringify(new Function('return counts')());
    });
    if (name === 'analytics') {
      expect(JSON.parse(heard)).toEqual({ 'error 503': 1, 'rejected undeliverable rejected_email': 1 });
    } else {
      expect(heard).toBe('undeliverable');
      expect(logged.filter((text) => text.startsWith('No verdict:'))).toHaveLength(1);
    }
  });
}

test('verifies every new view of a single-page app, and submits it once', async ({ service, widgetPage }) => {
  const { page } = widgetPage;
  await open(widgetPage, 'single-page-apps', 'Single-page apps');
  for (const [round, address] of [GOOD, 'jane@company.example'].entries()) {
    await page.getByRole('link', { name: 'Sign up' }).click();
    await expectVerdict(widgetPage, BAD, 'rejected', INVALID);
    await page.getByRole('button').click();
    await widgetPage.expectSubmissions(round, 500);
    service.hold(address);
    await widgetPage.email.fill(address);
    await page.getByRole('button').click();
    await expect.poll(() => service.asked).toContain(address);
    service.release(address);
    expect((await widgetPage.site.submission(round + 1)).fields).toEqual({ email: address });
    await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
    await expect(widgetPage.status).toHaveCount(0);
  }
  // The result from one view is known in the next.
  expect(service.asked).toEqual([BAD, GOOD, 'jane@company.example']);
});

test('has a strict form, one that waits, and one without verification on a page', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  await open(widgetPage, 'several-forms', 'Several forms');
  const work = page.getByLabel('Email at work');
  await widgetPage.enterRejected(FREE, work);
  await expect(await widgetPage.statusOf(work)).toHaveText('Please use your address at work.');

  const user = page.locator('#user');
  await widgetPage.enter(BAD, user);
  const news = page.locator('#news');
  await widgetPage.enter(GOOD, news);
  await widgetPage.expectNoRequest();
  await widgetPage.expectState(null, user);
  expect(service.asked).toEqual([FREE]);
  await page.getByRole('button', { name: 'Subscribe' }).click();
  expect(await widgetPage.site.submission()).toMatchObject({
    path: '/submit/newsletter',
    fields: { email: GOOD },
  });
  await widgetPage.arrive();
});

test('sends a new captcha token with each request', async ({ page, service, widgetPage }) => {
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `let made = 0;
        window.turnstile = {
          render(place, { sitekey, callback }) { callback(sitekey + '-' + ++made); return 'widget-' + made },
          remove() {},
        };`,
    }),
  );
  const helper = readFileSync(new URL('../dist/captcha/turnstile.js', import.meta.url), 'utf8');
  await page.route('**/v2/captcha/turnstile.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: helper }),
  );
  await open(widgetPage, 'captcha', 'Captcha');
  for (const [index, address] of [GOOD, BAD].entries()) {
    await widgetPage.enter(address);
    const { query } = await service.nextRequest();
    expect(query).toMatchObject({ captcha_response: `0x4AAAAAAA-${index + 1}`, timeout: '10' });
  }
  await widgetPage.expectState('rejected');
});

test('works under a strict policy', async ({ service, widgetPage }) => {
  const policy = (await recipe('strict-csp', 'A strict Content Security Policy'))
    .replace(/^Content-Security-Policy: /, '')
    .replaceAll('https://widget.example', service.origin)
    .trim();
  expect(policy).toMatch(/^default-src 'none'; /);
  await open(widgetPage, 'strict-csp', 'A strict Content Security Policy', {
    number: 2,
    headers: { 'Content-Security-Policy': policy },
  });
  service.answer(BAD, undeliverable({ did_you_mean: GOOD }));
  await expectVerdict(widgetPage, BAD, 'rejected', `Did you mean ${GOOD}?`);
  await expect(widgetPage.status.locator('[part=status]')).toHaveCSS('position', 'fixed');
  await widgetPage.status.getByRole('button').click();
  await widgetPage.expectState('accepted');
  expect(await widgetPage.violations()).toEqual([]);
  expect((await send(widgetPage)).fields).toEqual({ email: GOOD });
});

test.describe('self-hosting', () => {
  let service: RunningService;
  test.beforeAll(async () => {
    // Only the config's domain may send requests. Here it is one of this machine's own names.
    const config = (await recipe('self-hosting', 'The service')).replace('shop.example', 'trusted.test');
    const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
    service = await startService(JSON.parse(config), join(folder, 'service.json'));
  });
  test.afterAll(() => service.stop());

  test('needs only the two files, the config and the service', async ({ page, widgetPage }) => {
    const files: Record<string, string> = {
      'widget.js': widgetScript(),
      'email-verify-widget-status.js': faceScript(),
    };
    await page.route('**/email-verify-widget-2.0.0/*', (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      return route.fulfill({ contentType: 'text/javascript', body: files[name]! });
    });
    const document = (await recipe('self-hosting', 'The script', 2)).replace(
      'https://verify.shop.example',
      service.origin,
    );
    expect(document).toContain(service.origin);
    await widgetPage.openDocument(document, { host: 'shop.trusted.test' });
    await expectVerdict(widgetPage, 'disposable@example.com', 'rejected', 'Please use a permanent address.');
  });
});

test('takes the options of another widget, and accepts its old calls', async ({ service, widgetPage }) => {
  await open(widgetPage, 'moving', 'Moving from another widget');
  await expectVerdict(widgetPage, ROLE, 'rejected', 'Please give a personal address.');
  await widgetPage.enterAccepted(GOOD);
  const { fields } = await send(widgetPage);
  expect(JSON.parse(fields.verification!)).toMatchObject({ email: GOOD });

  await open(widgetPage, 'moving', 'Emailable');
  await expectVerdict(widgetPage, ROLE, 'rejected', 'Please use your own address, not a shared one.');
  expect(service.requests.at(-1)!.query.api_key).toBe('test_public_key');
});

test('counts verdicts without any part of an address', async ({ page, service, widgetPage }) => {
  service.answer('jane.doe@typo.example', undeliverable({ did_you_mean: 'jane.doe@tip.example' }));
  service.answer('john@trouble.example', 503);
  await open(widgetPage, 'analytics', 'Counting verdicts');
  await widgetPage.enterRejected('jane.doe@typo.example');
  await widgetPage.enter('john@trouble.example');
  await widgetPage.expectState('error');
  await widgetPage.enterAccepted(GOOD);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  });
  // The site parses every body as a form.
  const text = Object.keys((await widgetPage.site.submission()).fields).join();
  expect(JSON.parse(text)).toEqual({
    'rejected undeliverable rejected_email': 1,
    'error 503': 1,
    'accepted deliverable accepted_email': 1,
  });
  expect(text).not.toMatch(/jane|doe|john|joe|typo|tip|trouble|company|example|@/);
});

/** Loads the lines that leave the field after Enter, and sees them do it. The empty field keeps the form from being sent. */
async function leaveAfterEnter({ email, page }: WidgetPage): Promise<void> {
  await page.addScriptTag({ content: await recipe('browser-proof', 'After Enter') });
  await email.evaluate((input) => {
    Object.assign(window, { left: new Promise((resolve) => input.addEventListener('blur', resolve)) });
  });
  await email.focus();
  await email.press('Enter');
  await page.evaluate('left.then(() => true)');
  await expect(email).toBeFocused();
}

// e2e/browser-proof.spec.ts has a browser that gets tokens.
test('asks for the browser’s own proof, and does without it', async ({ site, widgetPage }) => {
  await open(widgetPage, 'browser-proof', "The browser's own proof");
  await leaveAfterEnter(widgetPage);
  await expectVerdict(widgetPage, GOOD, 'accepted', '');
  const { fields } = await send(widgetPage);
  expect(fields).toEqual({ email: GOOD, evt: '', proof: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });

  const code = await recipe('browser-proof', 'Under a Content Security Policy');
  const policy = "default-src 'none'; script-src 'self'";
  const input = '<input type="hidden" autocomplete="email-verification-token" nonce="n1">';
  const page = `<!doctype html>${input}<script type="module" src="${site.script(code)}"></script>`;
  await widgetPage.openDocument(page, { headers: { 'content-security-policy': policy } });
  await expect(widgetPage.page.locator('input')).toHaveAttribute('nonce', 'n1');
});

test('runs every page and program of the recipes here, and names each recipe in the list', () => {
  const tests = readFileSync(new URL(import.meta.url), 'utf8');
  const list = readFileSync(new URL('README.md', RECIPES), 'utf8');
  const recipes = readdirSync(RECIPES).filter((name) => name !== 'README.md');
  for (const file of recipes) {
    expect(list).toContain(`](${file})`);
    const runs = tests.match(new RegExp(`(open\\(widgetPage, |recipe\\()'${file.slice(0, -3)}'`, 'g')) ?? [];
    const text = readFileSync(new URL(file, RECIPES), 'utf8');
    const codes = [...text.matchAll(/^```(html|js|json|http)$/gm)];
    expect(runs.length, file).toBeGreaterThanOrEqual(codes.length);
  }
});
