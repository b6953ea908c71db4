/** The playground as `npm start` serves it: every option and failure, the logs, and the settings in its URL. */
import { test as base, expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import ar from '../src/locales/ar.ts';
import de from '../src/locales/de.ts';
import fr from '../src/locales/fr.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import { wish } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import { expectNoCollision, faultsOf, overflowOf, setView, showIn } from './pages/demo-page.ts';
import { runningDemo } from './pages/running-demo.ts';
import { type RunningService, startDemo } from './pages/service-process.ts';

const { messages } = DEFAULTS;
const BUDGET_BYTES = 100_000;

/** The playground, used by a visitor. */
class Playground {
  readonly form: FrameLocator;
  readonly email: Locator;
  readonly status: Locator;
  readonly errors: string[] = [];
  private opened = 0;

  constructor(
    readonly page: Page,
    readonly origin: string,
  ) {
    this.form = page.frameLocator('iframe');
    this.email = this.form.getByLabel('Email address');
    this.status = this.form.locator('.email-verify-status').first();
    page.on('pageerror', (error) => this.errors.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      // The service sends its pages with a strict policy.
      if (message.text().includes('Content Security Policy')) this.errors.push(message.text());
    });
  }

  /** @param settings as in the URL */
  async open(settings = '') {
    // Without another query, the page with another hash would be the same document.
    this.opened += 1;
    await this.page.goto(`${this.origin}/playground/?${this.opened}${settings && '#'}${settings}`);
    await expect(this.form.getByRole('button', { name: 'Create account' })).toBeVisible();
    // The widget is a deferred script of the form.
    await expect
      .poll(() => this.email.evaluate(() => typeof (window as { emailVerify?: unknown }).emailVerify))
      .toBe('function');
    await this.page.getByRole('button', { name: 'deliverable@example.com', exact: true }).waitFor();
  }

  /** Enters an address and leaves the field, so that it is verified at once. */
  async enter(address: string, label = 'Email address') {
    const input = this.form.getByLabel(label);
    await input.fill(address);
    await input.blur();
  }

  async expectState(state: string, label = 'Email address') {
    await expect(this.form.getByLabel(label)).toHaveAttribute('data-email-verify', state);
  }

  log(name: 'Events' | 'Requests' | 'Warnings') {
    return this.page.getByRole('tabpanel', { name }).getByRole('listitem');
  }

  async show(name: 'Events' | 'Requests' | 'Warnings') {
    await this.page.getByRole('tab', { name }).click();
  }

  /** The control of an option, in any group of options. */
  async control(name: string) {
    const control = this.page.locator(`[name="${name}"]`).first();
    await control.evaluate((element) => element.closest('details')?.setAttribute('open', ''));
    return control;
  }

  async fill(name: string, text: string) {
    await (await this.control(name)).fill(text);
  }

  async toggle(name: string) {
    await (await this.control(name)).click();
  }

  async choose(name: string, value: string) {
    await this.control(name);
    await this.page.locator(`[name="${name}"][value="${value}"]`).click();
  }
}

const test = base.extend<{ playground: Playground }, { demo: RunningService }>({
  demo: runningDemo,
  playground: async ({ demo, page }, use) => {
    const playground = new Playground(page, demo.origin);
    await use(playground);
    expect(playground.errors, 'exceptions that nothing caught, and what the policy forbids').toEqual([]);
  },
});

/** By the name of the option: changes its control, and expects the effect in the form. */
const OPTIONS: Record<string, (playground: Playground) => Promise<void>> = {
  'allow.states': async (playground) => {
    await playground.choose('allow.states', 'risky');
    await playground.enter('risky@example.com');
    await playground.expectState('rejected');
    await playground.choose('allow.states', 'risky');
    await playground.expectState('accepted');
  },
  'allow.free': async (playground) => {
    await playground.enter('free@example.com');
    await playground.expectState('accepted');
    await playground.choose('allow.free', 'false');
    await playground.expectState('rejected');
    await playground.choose('allow.free', 'warn');
    await playground.expectState('accepted');
    await expect(playground.status).toHaveText(messages.free);
  },
  'allow.role': async (playground) => {
    await playground.enter('role@example.com');
    await playground.choose('allow.role', 'false');
    await expect(playground.status).toHaveText(messages.role);
  },
  'allow.disposable': async (playground) => {
    await playground.enter('disposable@example.com');
    await playground.expectState('rejected');
    await playground.choose('allow.disposable', 'true');
    await playground.expectState('accepted');
  },
  verifyOn: async (playground) => {
    await playground.choose('verifyOn', 'submit');
    await playground.enter('undeliverable@example.com');
    await playground.expectState('waiting');
    await playground.email.press('Enter');
    await playground.expectState('rejected');
  },
  verifyAfterDelay: async (playground) => {
    await playground.control('verifyAfterDelay');
    await playground.page.getByLabel('verifyAfterDelay, slider').fill('0');
    await playground.email.pressSequentially('undeliverable@example.com');
    await playground.expectState('rejected');
    await expect(playground.email).toBeFocused();
  },
  verificationTimeout: async (playground) => {
    await playground.fill('verificationTimeout', '0.2');
    await playground.enter('slow@example.com');
    await playground.expectState('error');
  },
  formValidation: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await playground.expectState('rejected');
    const isValid = () => playground.email.evaluate((input: HTMLInputElement) => input.validity.valid);
    expect(await isValid()).toBe(false);
    await playground.toggle('formValidation');
    await expect.poll(isValid).toBe(true);
  },
  blockOnRateLimit: async (playground) => {
    await (await playground.control('simulate.answer')).selectOption('rate-limit');
    await playground.toggle('blockOnRateLimit');
    await playground.enter('deliverable@example.com');
    await expect(playground.status).toHaveText(messages.rateLimited);
  },
  resultField: async (playground) => {
    await playground.fill('resultField', 'result');
    await playground.enter('deliverable@example.com');
    await expect(playground.form.locator('[name=result]')).toHaveValue(/deliverable/);
  },
  proofField: async (playground) => {
    await playground.fill('proofField', 'proof');
    await playground.enter('deliverable@example.com');
    await expect(playground.form.locator('[name=proof]')).toHaveValue(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
  },
  debug: async (playground) => {
    const says = (text: string) =>
      playground.page.waitForEvent('console', (message) => message.text().includes(text));
    // The debug file comes over the network, and logs nothing before it is there.
    const loaded = says('email-verify-widget: widget: ');
    await playground.toggle('debug');
    await loaded;
    const said = says('email: event: verified: accepted');
    await playground.enter('deliverable@example.com');
    await said;
  },
  inputSelector: async (playground) => {
    await playground.fill('inputSelector', '[name=recovery]');
    await playground.enter('undeliverable@example.com');
    await playground.enter('undeliverable@example.com', 'Recovery');
    await playground.expectState('rejected', 'Recovery');
    await expect(playground.email).not.toHaveAttribute('data-email-verify');
  },
  ignoredForms: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await playground.expectState('rejected');
    await playground.fill('ignoredForms', 'other, sign-up');
    await expect(playground.email).not.toHaveAttribute('data-email-verify');
  },
  ignoredInputs: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await playground.expectState('rejected');
    await playground.fill('ignoredInputs', 'email');
    await expect(playground.email).not.toHaveAttribute('data-email-verify');
  },
  statusAppendTo: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await playground.fill('statusAppendTo', '#status-slot');
    await expect(playground.form.locator('#status-slot .email-verify-status')).toHaveText(messages.invalid);
  },
  'style.loadingIconColor': async (playground) => {
    await (await playground.control('simulate.answer')).selectOption('no-answer');
    await playground.control('style.loadingIconColor');
    await playground.page.getByLabel('style.loadingIconColor, colour picker').fill('#ff0000');
    await expect(playground.page.locator('[name="style.loadingIconColor"]')).toHaveValue('#ff0000');
    await playground.enter('deliverable@example.com');
    await expect(playground.form.locator('[part=spinner]')).toHaveCSS('color', 'rgb(255, 0, 0)');
  },
  locale: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await (await playground.control('locale')).selectOption('de');
    await expect(playground.status).toHaveText(de.invalid);
    await expect(playground.page.locator('[name="messages.free"]')).toHaveValue(de.free);
  },
  messages: async (playground) => {
    await playground.enter('undeliverable@example.com');
    await playground.fill('messages.invalid', '<b>Nobody</b> lives there.');
    await expect(playground.status).toHaveText('<b>Nobody</b> lives there.');
    // A text of the author's own stays when the language changes.
    await (await playground.control('locale')).selectOption('de');
    await expect(playground.page.locator('[name="messages.free"]')).toHaveValue(de.free);
    await expect(playground.status).toHaveText('<b>Nobody</b> lives there.');
  },
  apiKey: async (playground) => {
    await playground.fill('apiKey', 'test_wrong');
    await playground.enter('deliverable@example.com');
    await playground.expectState('error');
    await expect(playground.log('Events').first()).toContainText('"The API key is not accepted here.');
  },
  baseUrl: async (playground) => {
    await playground.fill('baseUrl', `${playground.origin}/nowhere`);
    await playground.enter('deliverable@example.com');
    await playground.expectState('error');
    await expect(playground.log('Events').first()).toContainText('404');
  },
  'locale, by the page’s switch': async (playground) => {
    await playground.enter('undeliverable@example.com');
    await setView(playground.page, 'Widget language', 'de');
    await expect(playground.status).toHaveText(de.invalid);
    await expect(playground.page.locator('[name=locale]')).toHaveValue('de');
    await setView(playground.page, 'Widget language', 'en');
    await expect(playground.status).toHaveText(messages.invalid);
  },
  'apiKey, none': async (playground) => {
    await playground.open('apiKey=');
    await playground.show('Warnings');
    await expect(playground.log('Warnings')).toContainText('option apiKey: Expected a public key.');
  },
  method: async (playground) => {
    await playground.choose('method', 'POST');
    await playground.enter('deliverable@example.com');
    await playground.expectState('accepted');
    await playground.show('Requests');
    await expect(playground.log('Requests').first()).toContainText('POST /v1/verify');
    await expect(playground.log('Requests').first()).toContainText('email"deliverable@example.com"');
  },
  captcha: async (playground) => {
    await playground.fill('captcha', '[name=recovery]');
    await playground.enter('deliverable@example.com', 'Recovery');
    await playground.enter('risky@example.com');
    await playground.expectState('accepted');
    await playground.show('Requests');
    await expect(playground.log('Requests').first()).toContainText(
      'captcha_response"deliverable@example.com"',
    );
  },
};

test('applies every option at once', async ({ playground }) => {
  expect(
    Object.keys(OPTIONS)
      .map((name) => name.replace(/[.,].*/, ''))
      .sort(),
  ).toEqual(expect.arrayContaining(Object.keys(DEFAULTS).sort()));
  await eachRow(OPTIONS, async (look) => {
    // Longer than a busy machine needs. The row about this option sets its own.
    await playground.open('verificationTimeout=60');
    await look(playground);
  });
});

/** The status of the widget's `error` event, or the state. The settings are as in the URL. */
const TROUBLES: Record<string, number | string> = {
  'simulate.answer=try-again-once': 'accepted',
  // The widget ends it after five tries.
  'simulate.answer=try-again': 249,
  'simulate.answer=rate-limit': 429,
  'simulate.answer=key-refused': 403,
  'simulate.answer=server-error': 500,
  'simulate.answer=maintenance': 503,
  'simulate.answer=offline': 0,
  'simulate.answer=no-answer&verificationTimeout=0.3': 0,
  'simulate.answer=cut-off': 0,
  'simulate.answer=nonsense': 200,
  'simulate.answer=foreign-page': 200,
  'simulate.latency=400&verificationTimeout=0.2': 0,
  'simulate.latency=50': 'accepted',
  'simulate.captcha=itself': 'accepted',
  'simulate.captcha=never&verificationTimeout=0.3': 0,
  'simulate.captcha=fails': 0,
  'simulate.captcha=refused': 403,
};

test('ends each simulation as the page announces', async ({ playground }) => {
  await eachRow(TROUBLES, async (outcome, settings) => {
    // Without a time of its own, a row waits for the answer as long as a busy machine needs.
    const isTimed = settings.includes('verificationTimeout');
    await playground.open(isTimed ? settings : `${settings}&verificationTimeout=60`);
    const announced = playground.page
      .getByRole('listitem')
      .filter({ has: playground.page.getByRole('button', { name: 'deliverable@example.com', exact: true }) })
      .locator('.outcome');
    await expect(announced).toHaveClass(`outcome ${typeof outcome === 'string' ? outcome : 'error'}`);
    await playground.enter('deliverable@example.com');
    await playground.expectState(typeof outcome === 'string' ? outcome : 'error');
    if (typeof outcome === 'number')
      await expect(playground.log('Events').first()).toContainText(`status${outcome}`);
    // The author's page does not contain any of it.
    await expect(playground.page.locator('#snippet')).not.toContainText(/simulate|captcha/);
  });
});

test('shows a late second file’s message, and warns of a missing or changed one', async ({ playground }) => {
  await eachRow({ late: true, missing: false, changed: false }, async (comes, fate) => {
    await playground.open(`simulate.face=${fate}`);
    await playground.enter('undeliverable@example.com');
    await playground.expectState('rejected');
    if (comes) await expect(playground.status).toHaveText('This address does not seem to exist.');
    else {
      await playground.show('Warnings');
      await expect(playground.log('Warnings')).toHaveText(/email-verify-widget-status\.js/);
      await expect(playground.status).toHaveCount(0);
    }
    await expect(playground.page.locator('#is-simulated')).toBeVisible();
    await expect(playground.page.locator('#snippet')).not.toContainText('simulate');
  });
});

test('lets the visitor solve a captcha once for each request', async ({ playground }) => {
  // Time for a visitor on a busy machine to press the button.
  await playground.open('verificationTimeout=60');
  await playground.enter('deliverable@example.com');
  await playground.expectState('accepted');
  // A new simulation verifies the form's address again.
  await (await playground.control('simulate.captcha')).selectOption('visitor');
  const solve = playground.form.getByRole('button', { name: 'I am not a robot' });
  await expect(solve).toBeVisible();
  await expect(playground.email).toHaveValue('deliverable@example.com');
  await playground.expectState('verifying');
  await solve.click();
  await playground.expectState('accepted');
  await expect(solve).toHaveAttribute('aria-pressed', 'false');
});

test('shows events, requests with their responses, and warnings in the panels', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.enter('undeliverable@example.com');
  await playground.expectState('rejected');
  await expect(playground.log('Events')).toHaveCount(2);
  await playground.form.getByRole('button', { name: 'Save draft' }).click();
  await expect(playground.log('Events').first()).toContainText('submit on sign-up');
  await expect(playground.log('Events').first()).toContainText('intent"draft"');

  await page.getByRole('tab', { name: 'Events 3' }).press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Requests 1' })).toBeFocused();
  const request = playground.log('Requests').first();
  await expect(request).toContainText(/^200GET \/v1\/verify\d+ ms/);
  await request.getByText('JSON text').click();
  await expect(request).toContainText('"state": "undeliverable"');

  await playground.fill('verifyAfterDelay', 'soon');
  await expect(page.locator('[name=verifyAfterDelay]')).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('tab', { name: 'Warnings 1' }).click();
  await expect(playground.log('Warnings').first()).toContainText(
    'email-verify-widget: option verifyAfterDelay: Expected a number from 0 to 2000000, got "soon".',
  );
  await page.getByRole('button', { name: 'Clear the warnings' }).click();
  await expect(playground.log('Warnings')).toHaveCount(0);
  await playground.show('Events');
  await expect(playground.log('Events')).toHaveCount(3);
});

test('removes the oldest entry of a full log, and moves nothing around it', async ({ playground }) => {
  const { page } = playground;
  await playground.open('verifyAfterDelay=0');
  const places = () =>
    page
      .locator('.board > section, .logs, iframe')
      .evaluateAll((elements) => elements.map((element) => JSON.stringify(element.getBoundingClientRect())));
  const before = await places();
  for (let at = 0; at < 45; at += 1)
    await playground.form
      .getByRole('button', { name: 'Save draft' })
      .evaluate((button: HTMLElement) => button.click());
  await expect(playground.log('Events')).toHaveCount(40);
  expect(await places()).toEqual(before);
});

test('restores all settings from a link', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.choose('allow.free', 'warn');
  await playground.toggle('formValidation');
  await playground.fill('verifyAfterDelay', '250');
  await (await playground.control('locale')).selectOption('fr');
  await expect(page.locator('[name="messages.invalid"]')).toHaveValue(fr.invalid);
  await playground.fill('messages.free', 'Größer & <weiter>?');
  await (await playground.control('simulate.answer')).selectOption('server-error');
  await page.getByLabel('Style', { exact: true }).selectOption('bootstrap');
  await page.getByRole('radio', { name: 'Vue' }).click();
  await expect(page).toHaveURL(/snippet=vue/);
  const { hash } = new URL(page.url());
  expect([...new URLSearchParams(hash.slice(1)).keys()].sort()).toEqual([
    'allow.free',
    'formValidation',
    'locale',
    'messages.free',
    'preview',
    'simulate.answer',
    'snippet',
    'verifyAfterDelay',
  ]);
  const everything = () =>
    playground.page
      .locator('[form=settings]')
      .evaluateAll((all) =>
        all.map((element) =>
          /radio|checkbox/.test((element as HTMLInputElement).type)
            ? (element as HTMLInputElement).checked
            : (element as HTMLInputElement).value,
        ),
      );
  const snippet = await page.locator('#snippet').textContent();
  expect(snippet).toContain("messages: { free: 'Größer & <weiter>?' }");
  const set = await everything();

  await page.goto(`${playground.origin}/playground/${hash}`);
  await expect(page.locator('#snippet')).toHaveText(snippet ?? '');
  expect(await everything()).toEqual(set);
  await expect(page).toHaveURL(`${playground.origin}/playground/${hash}`);
  await expect(playground.form.locator('html')).toHaveAttribute('data-look', 'bootstrap');

  await page.getByRole('button', { name: 'Defaults' }).click();
  await expect(page).toHaveURL(`${playground.origin}/playground/`);
  await expect(page.locator('[name="messages.free"]')).toHaveValue(messages.free);
  // A replacement, because engines differ in whether tests may read the real clipboard.
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      Reflect.set(window, 'copied', text);
    };
  });
  await page.getByRole('button', { name: 'Copy the snippet' }).click();
  await expect(page.getByText('Copied.')).toBeAttached();
  expect(await page.evaluate(() => Reflect.get(window, 'copied'))).toBe(
    `<script async src="${playground.origin}/v2/"\n  data-api-key="test_public_demo"></script>`,
  );
});

test('names wrong settings in the URL, and uses all others', async ({ playground }) => {
  const { page } = playground;
  await playground.open(
    'allow.free=perhaps&wrong=1&wrong=2&allow.role=warn&verifyAfterDelay=soon&simulate.latency=9e9',
  );
  const told = page.getByRole('status').filter({ hasText: 'ignored' });
  await expect(told).toContainText('allow.free: Expected one of true, warn, false, got “perhaps”.');
  await expect(told.getByText('Expected the name of a setting, got “wrong”.')).toHaveCount(1);
  await expect(page.locator('[name="simulate.latency"]')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('[name="allow.role"][value=warn]')).toBeChecked();
  await expect(page.locator('[name=verifyAfterDelay]')).toHaveValue('soon');
  await playground.show('Warnings');
  await expect(playground.log('Warnings')).toContainText('got "soon"');
  // It stays in the URL to be corrected, until another setting changes.
  await expect(page).toHaveURL(/allow\.free=perhaps/);
  await playground.choose('allow.role', 'false');
  await expect(page).toHaveURL(/#allow\.role=false&verifyAfterDelay=soon&simulate\.latency=9e9$/);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(told).toBeHidden();
});

test('reports a missing form while the service is down, and shows it again later', async ({ page }) => {
  // A service that stops waits for open connections, and Firefox repeats requests on closed ones.
  test.slow();
  const first = await startDemo();
  const playground = new Playground(page, first.origin);
  await playground.open();
  await first.stop();
  await (await playground.control('simulate.answer')).selectOption('maintenance');
  await page.getByRole('tab', { name: 'Warnings 1' }).click();
  await expect(playground.log('Warnings')).toContainText('The form did not load.');
  // Everything else works.
  await page.getByLabel('Style', { exact: true }).selectOption('tailwind');
  await playground.choose('allow.free', 'warn');

  const second = await startDemo(Number(new URL(first.origin).port));
  await page.getByRole('button', { name: 'role@example.com', exact: true }).click();
  await expect(playground.email).toHaveValue('role@example.com');
  await playground.expectState('error');
  await expect(playground.form.locator('html')).toHaveAttribute('data-look', 'tailwind');
  await second.stop();
  expect(playground.errors).toEqual([]);
});

test('turns the form with the widget’s language, and not the page around it', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await setView(page, 'Widget language', 'ar');
  await expect(playground.form.locator('html')).toHaveCSS('direction', 'rtl');
  await expect(page.locator('html')).toHaveCSS('direction', 'ltr');
  await playground.enter('undeliverable@example.com');
  await expect(playground.status).toHaveText(ar.invalid);
  await expect(page.locator('details.view > summary')).toHaveText('View: widget in العربية, right to left');
});

test('lets the keyboard reach every control, with a visible focus', async ({ playground }) => {
  const { page } = playground;
  await playground.open('allow.free=warn');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: /^Skip/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  // A link within the page changes no setting.
  await expect(page).toHaveURL(/#allow\.free=warn$/);
  await expect(page.locator('[name="allow.free"][value=warn]')).toBeChecked();
  await expect(page.locator('#wrong-address')).toBeHidden();

  const reached: string[] = [];
  const unseen: string[] = [];
  while (reached.at(-1) !== 'copy-snippet' && reached.length < 70) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate(() => {
      const { activeElement: element } = document;
      return [
        element?.id || element?.getAttribute('name') || element?.textContent || '',
        getComputedStyle(element ?? document.body).outlineStyle,
      ];
    });
    if (name === reached.at(-1)) continue;
    reached.push(name ?? '');
    // In the frame, the form's own style shows the focus.
    if (name !== 'frame' && outline === 'none') unseen.push(name ?? '');
  }
  expect(unseen).toEqual([]);
  const stops = [
    ...['set-preview', 'restart', 'frame', 'tab-events', 'clear', 'panel-events'],
    ...['deliverable@example.com', 'joe@nowhere'],
    ...['set-simulate.answer', 'set-simulate.latency', 'set-simulate.captcha', 'copy-link', 'defaults'],
    ...[
      'Accepted addresses 1 changed',
      'allow.states',
      'allow.free',
      'allow.disposable',
      'When to verify ',
      'The service ',
    ],
    ...['snippet', 'copy-snippet'],
  ];
  expect(reached.filter((name, at) => stops.includes(name) && reached.indexOf(name) === at)).toEqual(stops);

  await page.locator('#group-texts > summary').press('Enter');
  await expect(page.getByLabel('locale', { exact: true })).toBeVisible();
});

/** The styles, each with its radius, which differs from the previous one's. */
const LOOKS = { plain: '0px', bootstrap: '6px', tailwind: '6px', material: '20px' };

for (const [scheme, width] of [
  ['light', 1200],
  ['dark', 320],
] as const) {
  test(`passes axe, ${scheme}, ${width} px wide, in any style`, async ({ playground }) => {
    const { page } = playground;
    // During a transition, a colour belongs to neither style.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await playground.open('simulate.captcha=visitor&verifyAfterDelay=soon');
    await showIn(page, scheme);
    await page.locator('main details').evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    await playground.enter('joe@nowhere');
    await playground.expectState('rejected');
    expect(await faultsOf(page, [page.mainFrame()])).toEqual([]);
    expect(await overflowOf(page)).toBe(0);

    await setView(page, 'Large text', true);
    await expect.poll(() => overflowOf(page), { message: 'in large type' }).toBe(0);
    await setView(page, 'Large text', false);

    const frame = page.frames().find((each) => each.url().endsWith('preview.html'))!;
    await eachRow(LOOKS, async (corners, look) => {
      await page.getByLabel('Style', { exact: true }).selectOption(look);
      const button = playground.form.getByRole('button', { name: 'Create account' });
      await expect(button).toHaveCSS('border-radius', corners);
      expect(await faultsOf(page, [frame])).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    });
  });
}

for (const place of ['body', '#status-slot']) {
  test(`shows readable messages of the widget in any style, in ${place}`, async ({ playground }) => {
    test.slow();
    const { page } = playground;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 1_600 });
    await playground.open(`statusAppendTo=${encodeURIComponent(place)}`);
    await playground.enter('ann@gmial.com');
    await playground.enter('undeliverable@example.com', 'Recovery email (optional)');
    await playground.expectState('accepted');
    await playground.expectState('rejected', 'Recovery email (optional)');
    const frame = page.frames().find((each) => each.url().endsWith('preview.html'))!;
    await eachRow(LOOKS, async (corners, look) => {
      await page.getByLabel('Style', { exact: true }).selectOption(look);
      await expect(playground.form.locator('.primary')).toHaveCSS('border-radius', corners);
      for (const scheme of ['light', 'dark'] as const) {
        await showIn(page, scheme);
        expect(await faultsOf(page, [frame]), scheme).toEqual([]);
        await expectNoCollision(page, scheme);
      }
    });
  });
}

const DARK = { colorScheme: 'dark', reducedMotion: 'reduce' } as const;

test('imitates forced colours in the form exactly, in any style', async ({ playground }) => {
  const { page } = playground;
  await wish(page, DARK);
  await playground.open('simulate.captcha=visitor');
  await playground.enter('joe@nowhere');
  await playground.expectState('rejected');
  // The second file may come after the verdict.
  await playground.form.locator('.email-verify-status [part=status]').waitFor({ state: 'attached' });
  await eachRow(LOOKS, async (corners, look) => {
    await page.getByLabel('Style', { exact: true }).selectOption(look);
    await expect(playground.form.locator('.primary')).toHaveCSS('border-radius', corners);
    await wish(page, { ...DARK, forcedColors: 'active' });
    const real = await playground.form.locator(':root').evaluate(whatIsForced);
    await wish(page, DARK);
    expect(await playground.form.locator(':root').evaluate(whatIsForced)).not.toEqual(real);
    await setView(page, 'Forced colours', true);
    await expect.poll(() => playground.form.locator(':root').evaluate(whatIsForced)).toEqual(real);
    await setView(page, 'Forced colours', false);
  });
});

/** Runs inside the form's page. Returns the properties that a contrast theme overrides. */
function whatIsForced(root: Element): string[] {
  const status = root.querySelector('.email-verify-status')?.shadowRoot?.querySelector('[part=status]');
  return [...root.querySelectorAll('h1, label, input, button'), status!].map((element) => {
    const style = getComputedStyle(element);
    const { color, borderBlockEndColor, borderBlockEndWidth, borderInlineStartColor, boxShadow } = style;
    // In other elements, a contrast theme keeps the transparency.
    const background = element === status ? style.backgroundColor : '';
    const edges = [borderBlockEndColor, borderBlockEndWidth, borderInlineStartColor, boxShadow];
    return [element.localName, color, background, ...edges].join();
  });
}

test('loads little, and Bootstrap’s sheet only if it is chosen', async ({ playground }) => {
  const { page } = playground;
  const loaded: { url: string; bytes: number }[] = [];
  page.on('requestfinished', async (request) => {
    // A request of the page that is closed at the end has none.
    const sizes = await request.sizes().catch(() => ({ responseBodySize: 0, responseHeadersSize: 0 }));
    loaded.push({ url: request.url(), bytes: sizes.responseBodySize + sizes.responseHeadersSize });
  });
  await playground.open();
  await expect.poll(() => loaded.some(({ url }) => url.endsWith('/v2/'))).toBe(true);
  const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total).toBeLessThan(BUDGET_BYTES);
  expect(loaded.filter(({ url }) => url.includes('bootstrap'))).toEqual([]);
});
