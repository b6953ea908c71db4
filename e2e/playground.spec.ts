/** The playground as `npm start` serves it: every option at work, every trouble, what happens, and the address. */
import { test as base, expect, type FrameLocator, type Locator, type Page } from '@playwright/test';
import de from '../src/locales/de.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import { wish } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import { expectNoCollision, faultsOf, overflowOf, setView, showIn } from './pages/demo-page.ts';
import { type RunningService, startDemo } from './pages/service-process.ts';

const { messages } = DEFAULTS;
const BUDGET_BYTES = 100_000;

/** The playground in a visitor's hands. */
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

  /** @param settings as they stand in the address */
  async open(settings = '') {
    // The same page with another hash would be the same document.
    this.opened += 1;
    await this.page.goto(`${this.origin}/playground/?${this.opened}${settings && '#'}${settings}`);
    await expect(this.form.getByRole('button', { name: 'Create account' })).toBeVisible();
    await this.page.getByRole('button', { name: 'deliverable@example.com', exact: true }).waitFor();
  }

  /** Has an address verified at once, as on leaving the field. */
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

  /** The control of an option, in whichever group of options it is. */
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
  // Nobody here exceeds its limit of requests per second: one is enough for all.
  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker' },
  ],
  playground: async ({ demo, page }, use) => {
    const playground = new Playground(page, demo.origin);
    await use(playground);
    expect(playground.errors, 'exceptions that nothing caught, and what the policy forbids').toEqual([]);
  },
});

/** What is done to a control, by the option's name, and what a visitor then meets in the form. */
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
  debug: async (playground) => {
    const says = (text: string) =>
      playground.page.waitForEvent('console', (message) => message.text().includes(text));
    // The file comes by the network: what happens before it is there, it does not log.
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
    // One's own text stays when the language changes.
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
  'locale, by the page’s own switch': async (playground) => {
    await playground.enter('undeliverable@example.com');
    await setView(playground.page, 'Language', 'de');
    await expect(playground.status).toHaveText(de.invalid);
    await expect(playground.page.locator('[name=locale]')).toHaveValue('de');
    await setView(playground.page, 'Language', 'en');
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

test('every option takes effect at once', async ({ playground }) => {
  expect(
    Object.keys(OPTIONS)
      .map((name) => name.replace(/[.,].*/, ''))
      .sort(),
  ).toEqual(expect.arrayContaining(Object.keys(DEFAULTS).sort()));
  await eachRow(OPTIONS, async (look) => {
    await playground.open('verificationTimeout=3');
    await look(playground);
  });
});

/** What the widget's `error` says, or the state that there is; for what is simulated, as it stands in the address. */
const TROUBLES: Record<string, number | string> = {
  'simulate.answer=try-again-once': 'accepted',
  'simulate.answer=try-again&verificationTimeout=1.5': 249,
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

test('what is simulated comes to what the page says beforehand', async ({ playground }) => {
  await eachRow(TROUBLES, async (outcome, settings) => {
    await playground.open(settings);
    const announced = playground.page
      .getByRole('listitem')
      .filter({ has: playground.page.getByRole('button', { name: 'deliverable@example.com', exact: true }) })
      .locator('.outcome');
    await expect(announced).toHaveClass(`outcome ${typeof outcome === 'string' ? outcome : 'error'}`);
    await playground.enter('deliverable@example.com');
    await playground.expectState(typeof outcome === 'string' ? outcome : 'error');
    if (typeof outcome === 'number')
      await expect(playground.log('Events').first()).toContainText(`status${outcome}`);
    // Nothing of it is for an author's page.
    await expect(playground.page.locator('#snippet')).not.toContainText(/simulate|captcha/);
  });
});

test('a captcha is solved by the visitor, once for each request', async ({ playground }) => {
  await playground.open();
  await playground.enter('deliverable@example.com');
  await playground.expectState('accepted');
  // A new simulation asks anew what stands in the form.
  await (await playground.control('simulate.captcha')).selectOption('visitor');
  const solve = playground.form.getByRole('button', { name: 'I am not a robot' });
  await expect(solve).toBeVisible();
  await expect(playground.email).toHaveValue('deliverable@example.com');
  await playground.expectState('verifying');
  await solve.click();
  await playground.expectState('accepted');
  await expect(solve).toHaveAttribute('aria-pressed', 'false');
});

test('the panels show events, requests with their answers, and warnings', async ({ playground }) => {
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

test('a log that is full lets its oldest entry go, and moves nothing beside it', async ({ playground }) => {
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

test('a link restores everything that was set', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.choose('allow.free', 'warn');
  await playground.toggle('formValidation');
  await playground.fill('verifyAfterDelay', '250');
  await (await playground.control('locale')).selectOption('fr');
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
  // A stand-in: what is in the true one, engines let tests read each in its own way, or not.
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

test('nonsense in the address is told, and keeps nothing else from being taken', async ({ playground }) => {
  const { page } = playground;
  await playground.open(
    'allow.free=perhaps&wrong=1&wrong=2&allow.role=warn&verifyAfterDelay=soon&simulate.latency=9e9',
  );
  const told = page.getByRole('status').filter({ hasText: 'left out' });
  await expect(told).toContainText('allow.free: Expected one of true, warn, false, got “perhaps”.');
  await expect(told.getByText('Expected the name of a setting, got “wrong”.')).toHaveCount(1);
  await expect(page.locator('[name="simulate.latency"]')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('[name="allow.role"][value=warn]')).toBeChecked();
  await expect(page.locator('[name=verifyAfterDelay]')).toHaveValue('soon');
  await playground.show('Warnings');
  await expect(playground.log('Warnings')).toContainText('got "soon"');
  // It stays to be put right, until something else is set.
  await expect(page).toHaveURL(/allow\.free=perhaps/);
  await playground.choose('allow.role', 'false');
  await expect(page).toHaveURL(/#allow\.role=false&verifyAfterDelay=soon&simulate\.latency=9e9$/);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(told).toBeHidden();
});

test('where the service has gone the form is missed, and it comes back when that does', async ({ page }) => {
  // A service that stops gives open connections their time, and Firefox tries a closed one again and again.
  test.slow();
  const first = await startDemo();
  const playground = new Playground(page, first.origin);
  await playground.open();
  await first.stop();
  await (await playground.control('simulate.answer')).selectOption('maintenance');
  await page.getByRole('tab', { name: 'Warnings 1' }).click();
  await expect(playground.log('Warnings')).toContainText('The form has not come.');
  // All else goes on.
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

test('turned round, the page’s English keeps its full stops at its ends', async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await setView(page, 'Direction', 'rtl');
  const outcome = page.locator('.addresses .outcome').first();
  await expect(outcome).toHaveText('Accepted: deliverable.');
  const [first, last] = await outcome.evaluate(({ firstChild }) =>
    [0, 21].map((at) => {
      const range = document.createRange();
      range.setStart(firstChild!, at);
      range.setEnd(firstChild!, at + 1);
      return range.getBoundingClientRect().left;
    }),
  );
  expect(last).toBeGreaterThan(first!);

  await playground.enter('deliverable@example.com');
  await playground.expectState('accepted');
  const entry = playground.log('Events').first().locator('.event');
  const [type, time] = await Promise.all(
    ['.event-type', 'time'].map((part) => entry.locator(part).boundingBox()),
  );
  expect(type!.x, 'an entry reads from left to right').toBeLessThan(time!.x);
});

test('everything is reached by the keyboard, and seen to be', async ({ playground }) => {
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
    // In the frame, it is the form's own style that shows it.
    if (name !== 'frame' && outline === 'none') unseen.push(name ?? '');
  }
  expect(unseen).toEqual([]);
  const stops = [
    ...['set-preview', 'restart', 'frame', 'tab-events', 'clear', 'panel-events'],
    ...['deliverable@example.com', 'joe@nowhere'],
    ...['set-simulate.answer', 'set-simulate.latency', 'set-simulate.captcha', 'copy-link', 'defaults'],
    ...[
      'What is accepted 1 changed',
      'allow.states',
      'allow.free',
      'allow.disposable',
      'When ',
      'The service ',
    ],
    ...['snippet', 'copy-snippet'],
  ];
  expect(reached.filter((name, at) => stops.includes(name) && reached.indexOf(name) === at)).toEqual(stops);

  await page.locator('#group-texts > summary').press('Enter');
  await expect(page.getByLabel('locale', { exact: true })).toBeVisible();
});

/** The styles, by what tells them apart. */
const LOOKS = { plain: '0px', bootstrap: '6px', tailwind: '6px', material: '20px' };

for (const [scheme, width] of [
  ['light', 1200],
  ['dark', 320],
] as const) {
  test(`it keeps nobody out, ${scheme}, ${width} px wide, in any style`, async ({ playground }) => {
    const { page } = playground;
    // Colours on their way from one style to the next are neither's.
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
  test(`what the widget says can be read in any style, in ${place}`, async ({ playground }) => {
    test.slow();
    const { page } = playground;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 1_600 });
    await playground.open(`statusAppendTo=${encodeURIComponent(place)}`);
    await playground.enter('someone@gmial.com');
    await playground.enter('undeliverable@example.com', 'Recovery email, if you like');
    await playground.expectState('accepted');
    await playground.expectState('rejected', 'Recovery email, if you like');
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

test('forced colours are imitated in the form as they are, in any style', async ({ playground }) => {
  const { page } = playground;
  await wish(page, DARK);
  await playground.open('simulate.captcha=visitor');
  await playground.enter('joe@nowhere');
  await playground.expectState('rejected');
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

/** Runs inside the form's page: what a contrast theme takes from its author. */
function whatIsForced(root: Element): string[] {
  const status = root.querySelector('.email-verify-status')?.shadowRoot?.querySelector('[part=status]');
  return [...root.querySelectorAll('h1, label, input, button'), status!].map((element) => {
    const style = getComputedStyle(element);
    const { color, borderBlockEndColor, borderBlockEndWidth, borderInlineStartColor, boxShadow } = style;
    // Elsewhere a contrast theme leaves how transparent it is.
    const background = element === status ? style.backgroundColor : '';
    const edges = [borderBlockEndColor, borderBlockEndWidth, borderInlineStartColor, boxShadow];
    return [element.localName, color, background, ...edges].join();
  });
}

test('it weighs little, Bootstrap’s sheet only where that is chosen', async ({ playground }) => {
  const { page } = playground;
  const loaded: { url: string; bytes: number }[] = [];
  page.on('requestfinished', async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    loaded.push({ url: request.url(), bytes: responseBodySize + responseHeadersSize });
  });
  await playground.open();
  await expect.poll(() => loaded.some(({ url }) => url.endsWith('/v2/'))).toBe(true);
  const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total).toBeLessThan(BUDGET_BYTES);
  expect(loaded.filter(({ url }) => url.includes('bootstrap'))).toEqual([]);
});
