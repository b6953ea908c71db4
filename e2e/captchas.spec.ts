/**
 * Tests the captchas' helpers as docs/captchas.md embeds them. Each provider is imitated, and the service is the real
 * one, which refuses a token that is used twice.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CaptchaProvider, SECRET } from './captchas/provider.ts';
import { test as base, eachRow, expect, FORM } from './fixtures.ts';
import { type RunningService, startService } from './pages/service-process.ts';
import { snippet } from './pages/snippets.ts';
import { started } from './pages/started.ts';
import type { WidgetPage } from './pages/widget-page.ts';

interface Row {
  /** The URLs of the helper's script, its stand-in and its module. */
  readonly file: string;
  /** The URL of the provider's script. @default the provider's own */
  readonly address: string;
  readonly standIn: string;
  /** The provider's name for the service. Turnstile, if the service does not know the provider. */
  readonly provider: 'turnstile' | 'hcaptcha' | 'recaptcha';
  /** The action of the snippets' tokens. */
  readonly sitekey: string;
  /** The page's own captcha, in `#own` of its form. */
  readonly own: string;
  /** The field that posts the token of the page's own captcha. */
  readonly field: string;
  /** How the page loads the provider's script. */
  readonly isModule?: boolean;
  /** The helper loads a fixed version, and knows the hash of that file. The stand-in has another hash. */
  readonly isFixed?: boolean;
}

const PROVIDERS: Readonly<Record<string, Row>> = {
  Turnstile: {
    file: 'turnstile',
    address: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    standIn: 'turnstile',
    provider: 'turnstile',
    sitekey: '0x4AAAAAAA',
    own: "turnstile.render('#own', { sitekey: 'page' })",
    field: 'cf-turnstile-response',
  },
  hCaptcha: {
    file: 'hcaptcha',
    address: 'https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off',
    standIn: 'hcaptcha',
    provider: 'hcaptcha',
    sitekey: '10000000-ffff',
    own: "hcaptcha.execute(hcaptcha.render('#own', { sitekey: 'page' }))",
    field: 'h-captcha-response',
  },
  'reCAPTCHA v2': {
    file: 'recaptcha-v2',
    address: 'https://www.google.com/recaptcha/api.js?render=explicit',
    standIn: 'recaptcha',
    provider: 'recaptcha',
    sitekey: '6LeIxAcT',
    own: "grecaptcha.ready(() => grecaptcha.execute(grecaptcha.render('#own', { sitekey: 'page', size: 'invisible' })))",
    field: 'g-recaptcha-response',
  },
  'reCAPTCHA v3': {
    file: 'recaptcha-v3',
    address: 'https://www.google.com/recaptcha/api.js?render=6LeIxAcT',
    standIn: 'recaptcha',
    provider: 'recaptcha',
    sitekey: '6LeIxAcT',
    own: `grecaptcha.ready(async () => {
      own.innerHTML = '<input type="hidden" name="g-recaptcha-response">';
      own.firstChild.value = await grecaptcha.execute('6LeIxAcT', { action: 'sign_up' });
    })`,
    field: 'g-recaptcha-response',
  },
  'reCAPTCHA Enterprise': {
    file: 'recaptcha-enterprise',
    address: 'https://www.google.com/recaptcha/enterprise.js?render=6LeIxAcT',
    standIn: 'recaptcha',
    provider: 'recaptcha',
    sitekey: '6LeIxAcT',
    own: `grecaptcha.enterprise.ready(async () => {
      const { enterprise } = grecaptcha;
      await enterprise.execute(enterprise.render('#own', { sitekey: 'page', size: 'invisible' }));
    })`,
    field: 'g-recaptcha-response',
  },
  'Friendly Captcha': {
    file: 'friendly-captcha',
    address: 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@1.0.2/site.min.js',
    standIn: 'friendly-captcha',
    provider: 'turnstile',
    sitekey: 'FCMG0000',
    own: "frcaptcha.createWidget({ element: own, sitekey: 'page', startMode: 'auto' })",
    field: 'frc-captcha-response',
    isModule: true,
    isFixed: true,
  },
  ALTCHA: {
    file: 'altcha',
    address: 'https://cdn.jsdelivr.net/npm/altcha@3.2.2/dist/main/altcha.min.js',
    standIn: 'altcha',
    provider: 'turnstile',
    sitekey: 'https://api.example/altcha',
    own: `own.innerHTML = '<altcha-widget challenge="page" auto="onload"></altcha-widget>'`,
    field: 'altcha',
    isModule: true,
    isFixed: true,
  },
};

const GOOD = 'deliverable@example.com';
const BAD = 'undeliverable@example.com';
const keyOf = ({ file }: Row) => `test_${file}`;

const test = base.extend<{ provider: CaptchaProvider; realService: RunningService }>({
  provider: started(() => CaptchaProvider.start()),
  realService: async ({ provider }, use, testInfo) => {
    const keys = Object.values(PROVIDERS).map((row) => ({
      key: keyOf(row),
      kind: 'public',
      trustedDomains: ['localhost'],
      captcha: { provider: row.provider, secret: SECRET, siteverifyUrl: `${provider.origin}/siteverify` },
    }));
    const service = await startService({ keys }, testInfo.outputPath('service.json'));
    await use(service);
    await service.stop();
  },
});

/** Serves the provider's script, which must be requested at exactly this URL. @returns the URLs requested so far */
async function serveScript({ page }: WidgetPage, provider: CaptchaProvider, { address, standIn }: Row) {
  const asked: string[] = [];
  await page.route(
    (url) => url.href.startsWith(address.split('?')[0]!),
    (route) => {
      const url = route.request().url();
      asked.push(url);
      return route.fulfill({
        contentType: 'text/javascript',
        headers: { 'access-control-allow-origin': '*' },
        body: provider.script(standIn, url),
      });
    },
  );
  return asked;
}

const BODY = FORM.replace('</form>', '<div id="own"></div></form>');

/** Replaces a snippet's own names by those of this test. */
const localised = (code: string, row: Row, { origin }: RunningService) =>
  code
    .replaceAll('https://widget.example', origin)
    .replace("'https://api.example'", `'${origin}'`)
    .replace('test_public_key', keyOf(row));

/** The hash that the browser requires of the stand-in. */
const hashOf = (provider: CaptchaProvider, { standIn, address }: Row) =>
  `sha384-${createHash('sha384').update(provider.script(standIn, address)).digest('base64')}`;

/** A module as in the docs, with the URLs of its imports. */
function moduleTag(code: string, row: Row, service: RunningService): string {
  const at = `${service.origin}/v2`;
  const imports = {
    'email-verify-widget': `${at}/index.js`,
    [`email-verify-widget/captcha/${row.file}`]: `${at}/captcha/${row.file}.mjs`,
  };
  return `<script type="importmap">${JSON.stringify({ imports })}</script>
    <script type="module">${localised(code, row, service)}</script>`;
}

/** The module that the docs show for a provider. If its helper has a hash, it gets the stand-in's. */
async function helperModule(name: string, row: Row, service: RunningService, provider: CaptchaProvider) {
  const code = await snippet(name, 2, 'captchas');
  const withHash = code.replace(' }) });', `, integrity: '${hashOf(provider, row)}' }) });`);
  return moduleTag(row.isFixed ? withHash : code, row, service);
}

/** The elements that a helper has added to the page. */
const placesOf = ({ page }: WidgetPage) =>
  page.locator('body > div[style*="fixed"]:not(.email-verify-status)');

test('gets a token each time, and leaves the form its own', async ({ provider, realService, widgetPage }) => {
  const { page, site } = widgetPage;
  await eachRow(PROVIDERS, async (row, name) => {
    await page.unrouteAll();
    const asked = await serveScript(widgetPage, provider, row);
    const { checked } = provider;
    const before = checked.length;
    const type = row.isModule ? 'module' : 'text/javascript';
    await widgetPage.open(BODY, {
      embed: 'none',
      head: `<script type="${type}" src="${row.address}"></script>
        ${localised(await snippet(name, 1, 'captchas'), row, realService)}`,
    });
    await page.evaluate(row.own);
    const ownField = page.locator(`#own [name="${row.field}"]`);
    await expect.poll(() => ownField.inputValue()).not.toBe('');
    const own = await ownField.inputValue();

    await widgetPage.enterAccepted(GOOD);
    await widgetPage.enterRejected(BAD);
    const checks = Array(2).fill({ token: expect.any(String), sitekey: row.sitekey, success: true });
    expect(checked.slice(before)).toEqual(checks);
    expect(asked, 'the page’s own script, and no other').toEqual([row.address]);

    await widgetPage.enterAccepted(GOOD);
    const sent = site.submissions.length;
    await widgetPage.send.click();
    const fields = await widgetPage.sent(sent + 1);
    expect(fields[row.field]).toBe(own);
    const names = Object.keys(fields).filter((field) => /captcha|turnstile|altcha/.test(field));
    expect(names).toContain(row.field);
    expect(provider.check(own), 'the form’s token is still good').toBe(true);
  });
});

test('loads a script when needed, and leaves nothing', async ({ provider, realService, widgetPage }) => {
  await eachRow(PROVIDERS, async (row, name) => {
    await widgetPage.page.unrouteAll();
    const asked = await serveScript(widgetPage, provider, row);
    const before = provider.checked.length;
    await widgetPage.open(BODY, {
      embed: 'none',
      head: await helperModule(name, row, realService, provider),
    });
    await widgetPage.email.focus();
    await widgetPage.settle();
    expect(asked).toEqual([]);
    for (const [address, state] of [
      [GOOD, 'accepted'],
      [BAD, 'rejected'],
    ] as const) {
      await widgetPage.enter(address);
      await widgetPage.expectState(state);
    }
    expect(asked).toEqual([row.address]);
    expect(provider.checked.slice(before).map(({ success }) => success)).toEqual([true, true]);
    // reCAPTCHA cannot remove a widget, so the helper keeps its only one.
    const places = row.file === 'recaptcha-v2' ? 1 : 0;
    await expect(placesOf(widgetPage)).toHaveCount(places);
    expect(
      await widgetPage.send.evaluate((button: HTMLButtonElement) => new FormData(button.form!).get('email')),
    ).toBe(BAD);
  });
});

test('runs every snippet of docs/captchas.md', async () => {
  const page = await readFile(new URL('../docs/captchas.md', import.meta.url), 'utf8');
  // Two for each provider, the one under Options, and the one that removes a challenge.
  expect(page.match(/^```\w+$/gm)).toHaveLength(2 * Object.keys(PROVIDERS).length + 2);
});

test('locks no visitor out while a provider fails', async ({ page, provider, realService, widgetPage }) => {
  provider.isDown = true;
  await eachRow(PROVIDERS, async (row, name) => {
    for (const isBlocked of [false, true]) {
      await page.unrouteAll();
      await serveScript(widgetPage, provider, row);
      if (isBlocked)
        await page.route(
          (url) => row.address.startsWith(url.origin),
          (route) => route.abort(),
        );
      await widgetPage.open(BODY, {
        embed: 'none',
        head: await helperModule(name, row, realService, provider),
      });
      await widgetPage.enter(GOOD);
      const { detail } = await widgetPage.nextEvent('error');
      expect(detail).toEqual({ status: 0, message: 'No captcha token.' });
      const sent = widgetPage.site.submissions.length;
      await widgetPage.send.click();
      expect(await widgetPage.sent(sent + 1)).toMatchObject({ email: GOOD });
    }
  });
  expect(provider.checked).toEqual([]);
  // Firefox reports a blocked module, which is not an exception of the page.
  const others = widgetPage.pageErrors.splice(0).filter((error) => !error.startsWith('Cross-Origin Request'));
  expect(others).toEqual([]);
});

test('runs no changed script of a fixed version', async ({ page, provider, realService, widgetPage }) => {
  const fixed = Object.fromEntries(Object.entries(PROVIDERS).filter(([, row]) => row.isFixed));
  expect(Object.keys(fixed)).toHaveLength(
    Object.values(PROVIDERS).filter(({ address }) => /@\d/.test(address)).length,
  );
  await eachRow(fixed, async (row, name) => {
    await page.unrouteAll();
    const asked = await serveScript(widgetPage, provider, row);
    const code = await snippet(name, 2, 'captchas');
    await widgetPage.open(BODY, { embed: 'none', head: moduleTag(code, row, realService) });
    await widgetPage.enter(GOOD);
    const { detail } = await widgetPage.nextEvent('error');
    expect(detail).toEqual({ status: 0, message: 'No captcha token.' });
    expect(asked).toEqual([row.address]);
  });
  expect(provider.checked).toEqual([]);
});

test('removes a cancelled challenge from the page at once', async ({ provider, realService, widgetPage }) => {
  const row = PROVIDERS['reCAPTCHA v2']!;
  await serveScript(widgetPage, provider, row);
  await widgetPage.open(`${BODY}<button id="close">Close</button>`, {
    embed: 'none',
    head: moduleTag(await snippet('Removing a challenge', 1, 'captchas'), row, realService),
  });
  const box = widgetPage.page.getByRole('button', { name: "I'm not a robot" });
  await widgetPage.enter(GOOD);
  await expect(box).toBeVisible();
  // Longer than verificationTimeout, so the widget has given up.
  await widgetPage.pass(6_000);
  await widgetPage.nextEvent('error');
  await expect(box).toBeVisible();
  await widgetPage.page.getByRole('button', { name: 'Close' }).click();
  await expect(box).toBeHidden();
});

test('refuses a token the second time', async ({ page, provider, realService, widgetPage }) => {
  const row = PROVIDERS.Turnstile!;
  await page.exposeFunction('giveToken', () => token);
  const token = provider.mint('page');
  await widgetPage.open(BODY, {
    serviceOrigin: realService.origin,
    options: { apiKey: keyOf(row) },
    after: `emailVerify('captcha', () => giveToken())`,
  });
  await widgetPage.enterAccepted(GOOD);
  await widgetPage.enter(BAD);
  expect((await widgetPage.nextEvent('error')).detail).toMatchObject({ status: 403 });
});

test('shows a checkbox each time, and uses a late token', async ({ provider, realService, widgetPage }) => {
  const row = PROVIDERS['reCAPTCHA v2']!;
  await serveScript(widgetPage, provider, row);
  const head = localised(await snippet('reCAPTCHA v2', 1, 'captchas'), row, realService);
  await widgetPage.open(BODY, {
    embed: 'none',
    head: head.replace('data-sitekey', 'data-size="normal" data-sitekey'),
  });
  const box = widgetPage.page.getByRole('button', { name: "I'm not a robot" });
  await widgetPage.enter(GOOD);
  await box.click();
  await widgetPage.expectState('accepted');
  await expect(box).toBeHidden();

  // Longer than verificationTimeout.
  await widgetPage.enter(BAD);
  await expect(box).toBeVisible();
  await widgetPage.pass(6_000);
  await widgetPage.nextEvent('error');
  await box.click();
  await expect(box).toBeHidden();
  await widgetPage.enterAccepted('risky@example.com');
  await expect(box).toBeHidden();
  expect(provider.checked.map(({ success }) => success)).toEqual([true, true]);
});

test('takes options under a policy of nonces, in a dialog', async ({ provider, realService, widgetPage }) => {
  const row = PROVIDERS.Turnstile!;
  const asked = await serveScript(widgetPage, provider, row);
  const { origin } = realService;
  await widgetPage.openDocument(
    `<!doctype html><title>A page</title>
      <script nonce="n1" src="${origin}/v2/captcha/turnstile.js"></script>
      <script nonce="n1" src="${origin}/v2/" data-api-key="${keyOf(row)}"></script>
      <script nonce="n1">${await snippet('Options', 1, 'captchas')}</script>
      <dialog>${FORM}</dialog><script nonce="n1">document.querySelector('dialog').showModal()</script>`,
    {
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'nonce-n1'; style-src 'self'; img-src 'self'; connect-src *`,
      },
    },
  );
  await widgetPage.page.evaluate(() => {
    Object.assign(window, { placed: [] });
    new MutationObserver((records) => {
      for (const { target } of records) {
        if ((target as Element).querySelector('.turnstile-frame'))
          Reflect.get(window, 'placed').push(target.nodeName);
      }
    }).observe(document.querySelector('dialog')!, { childList: true });
  });
  await widgetPage.enterAccepted(GOOD);
  expect(asked).toEqual([row.address]);
  expect(await widgetPage.violations()).toEqual([]);
  expect(await widgetPage.page.evaluate(() => Reflect.get(window, 'placed'))).toContain('DIALOG');
});
