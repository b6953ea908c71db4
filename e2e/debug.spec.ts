/** What the debug file logs about a field's life, how a page loads it, and the demo's page that shows it. */
import { leaveOutFor } from './engines/differences.ts';
import { expect, FORM, test, tryAgain, undeliverable } from './fixtures.ts';
import type { MockService } from './mock-service/mock-service.ts';
import { test as demoTest, faultsOf, overflowOf, setView, showIn, weightOf } from './pages/demo-page.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const DEBUG_FILE = 'email-verify-widget-debug.js';
const PREFIX = 'email-verify-widget: ';
/** As long as the widget waits for the end of typing. */
const DELAY_MS = 1_000;

/** What the page has logged so far, without times. */
function linesOf({ page }: WidgetPage): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'log') lines.push(message.text().replace(/after \d+ ms/, 'after … ms'));
  });
  return lines;
}

/** Those lines that hold some text, from the field's name on. */
const including = (lines: readonly string[], text: string) =>
  lines.filter((line) => line.includes(text)).map((line) => line.replace(PREFIX, ''));

const withDebug = (origin: string) => ({ head: `<script src="${origin}/v2/${DEBUG_FILE}"></script>` });

test('it logs why an address was asked for, what came of it, and by which rule', async ({
  widgetPage,
  service,
}) => {
  leaveOutFor('an address comes all at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  service.answer('a@b.co', tryAgain(), undeliverable());
  await widgetPage.open(FORM, withDebug(service.origin));
  await widgetPage.enter('a@b.co');
  await widgetPage.passUntil('verified');
  await expect.poll(() => lines).toContainEqual(expect.stringContaining('verified'));
  const told = lines.map((line) => line.replace('email-verify-widget: ', ''));
  expect(told.filter((line) => !line.startsWith('widget: option'))).toEqual([
    'widget: widget installed',
    'email: key: changed to "a@b.co"',
    'email: state: waiting: asks 1000 ms after the last change, or when the field is left',
    'email: event: verifying "a@b.co"',
    `request: GET ${service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'email: state: verifying: asking, since the field was left',
    'answer: 249 after … ms: not yet, to be asked again',
    `request: GET ${service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'answer: 200 after … ms',
    'email: state: rejected; custom validity "No mail arrives there."',
    'email: event: verified: rejected, since state undeliverable (rejected_email) is not in allow.states; the visitor reads "No mail arrives there."',
  ]);
  // The key is public, and nobody's to read over a shoulder all the same.
  expect(told).toContain('widget: option apiKey set to a key');
});

test('it says that a submission is held, and that it is let through', async ({
  widgetPage,
  service,
  site,
}) => {
  const lines = linesOf(widgetPage);
  await widgetPage.sendWhilePending('a@b.co', FORM, withDebug(service.origin));
  await expect.poll(() => lines.at(-1)).toContain('submission: held: the verdict is still to come');
  service.release();
  await site.submission();
  await expect.poll(() => lines.at(-1)).toContain('submission: let through: submitted');
  expect(lines.filter((line) => line.includes('submission:'))).toEqual([
    'email-verify-widget: email: submission: tried: a submit button was pressed',
    'email-verify-widget: email: submission: held: the verdict is still to come',
    'email-verify-widget: email: submission: carried out: nothing is pending any more',
    'email-verify-widget: email: submission: let through: submitted',
  ]);
});

test('it says why a field is not monitored', async ({ widgetPage, service }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(
    '<input name="email"><input type="email" name="old" readonly>',
    withDebug(service.origin),
  );
  await widgetPage.page.locator('[name=email]').focus();
  await widgetPage.page.locator('[name=old]').focus();
  await expect
    .poll(() => lines.slice(-2))
    .toEqual([
      'email-verify-widget: email: widget: not monitored: it does not match inputSelector (input[type=email])',
      'email-verify-widget: old: widget: not monitored: it is read-only',
    ]);
});

test('a widget that was there first is followed from then on, until it is enough', async ({
  widgetPage,
  service,
}) => {
  const { page } = widgetPage;
  leaveOutFor('an address comes all at once', page);
  await widgetPage.open(FORM);
  await page.evaluate(async (url) => {
    const { observe } = await import(url);
    const texts: string[] = [];
    const stop = observe(({ text }: { text: string }) => texts.push(text));
    Object.assign(window, { texts, stop });
  }, `${service.origin}/v2/debug.mjs`);
  const texts = () => page.evaluate(() => Reflect.get(window, 'texts') as string[]);
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  expect((await texts()).filter((text) => !text.startsWith('option'))).toEqual([
    // Its listeners come before ours.
    expect.stringContaining('waiting: asks'),
    'changed to "a@b.co"',
    'verifying "a@b.co"',
    expect.stringMatching(/^GET .* for "a@b.co"/),
    'verifying: asking, since the field was left',
    expect.stringMatching(/^200 after/),
    'accepted',
    'verified: accepted, since state deliverable (accepted_email) is allowed',
  ]);

  await page.evaluate(() => Reflect.get(window, 'stop')());
  const before = (await texts()).length;
  await widgetPage.enter('c@d.co');
  await widgetPage.nextEvent('verified');
  expect(await texts()).toHaveLength(before);
});

test('the option loads it, as a bare attribute of the tag, and is followed', async ({
  widgetPage,
  service,
}) => {
  const { page } = widgetPage;
  leaveOutFor('an address comes all at once', page);
  const lines = linesOf(widgetPage);
  const loaded = page.waitForResponse(`${service.origin}/v2/${DEBUG_FILE}`);
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script async src="${service.origin}/v2/" data-api-key="test_public_key" data-debug></script>`,
  });
  await loaded;
  await expect.poll(() => lines).toContain('email-verify-widget: widget: option apiKey is a key');
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  await expect.poll(() => lines.at(-1)).toContain('verified');
  const told = () => lines.splice(0).map((line) => line.replace('email-verify-widget: ', ''));
  // It has come after the widget, and misses nothing of the field.
  expect(told().filter((line) => !line.startsWith('widget: option'))).toEqual([
    'email: state: waiting: asks 1000 ms after the last change, or when the field is left',
    'email: key: changed to "a@b.co"',
    'email: event: verifying "a@b.co"',
    `request: GET ${service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'email: state: verifying: asking, since the field was left',
    'answer: 200 after … ms',
    'email: state: accepted',
    'email: event: verified: accepted, since state deliverable (accepted_email) is allowed',
  ]);

  await page.evaluate(() => Reflect.get(window, 'emailVerify')('debug', false));
  await widgetPage.enter('c@d.co');
  await widgetPage.nextEvent('verified');
  expect(told()).toEqual(['widget: option debug set to false']);

  await page.evaluate(() => Reflect.get(window, 'emailVerify')('debug', true));
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  await expect
    .poll(told)
    .toContain(
      'email: event: verified: accepted, since state deliverable (accepted_email) is allowed (the answer is remembered, nothing was asked)',
    );
});

test('the option of the module loads it from beside the module', async ({ widgetPage }) => {
  leaveOutFor('an address comes all at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, { embed: 'module', options: { debug: true } });
  await expect.poll(() => lines).toContain('email-verify-widget: widget: option debug is true');
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  await expect.poll(() => lines.at(-1)).toContain('verified: accepted');
});

test('it says that the status floats since there is no place for it, and that verify() was given what is not monitored', async ({
  widgetPage,
  service,
}) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, { ...withDebug(service.origin), options: { statusAppendTo: '#nowhere' } });
  await widgetPage.email.focus();
  await expect
    .poll(() => lines.at(-1))
    .toContain('its status floats: statusAppendTo finds nothing (#nowhere)');
  await widgetPage.page.evaluate("emailVerify('verify', document.querySelector('#note'))");
  await expect.poll(() => lines.at(-1)).toContain('verify() called with what is not monitored');
});

test('where it can’t be loaded, one warning says so, and the widget works', async ({
  widgetPage,
  service,
}) => {
  await widgetPage.page.route(`**/${DEBUG_FILE}`, (route) => route.abort());
  await widgetPage.open(FORM, { options: { debug: true } });
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  expect(widgetPage.warnings).toEqual([expect.stringContaining(`${service.origin}/v2/${DEBUG_FILE}`)]);
});

test('without it nothing is logged', async ({ widgetPage }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM);
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  expect(lines).toEqual([]);
});

/** What the visitor, or the page, does until the widget asks for `a@b.co` or for its replacement. */
const ASKED_SINCE: Readonly<Record<string, (widgetPage: WidgetPage) => Promise<unknown>>> = {
  'the delay is over': async (widgetPage) => {
    await widgetPage.email.fill('a@b.co');
    await widgetPage.pass(DELAY_MS);
  },
  'the field was left': (widgetPage) => widgetPage.enter('a@b.co'),
  'a submission was tried': async (widgetPage) => {
    await widgetPage.email.fill('a@b.co');
    await widgetPage.email.press('Enter');
  },
  'verify() was called': async ({ page, email }) => {
    await email.fill('a@b.co');
    // The visitor leaves the field in the same moment: that is not the reason.
    await page.evaluate(`email.addEventListener('keydown', () => emailVerify('verify', email))`);
    await email.press('Tab');
  },
  'a script changed the value': async (widgetPage) => {
    widgetPage.service.hold();
    await widgetPage.enter('A@B.CO');
    await widgetPage.service.nextRequest();
    await widgetPage.email.evaluate((input: HTMLInputElement) => {
      input.value = 'a@b.co';
    });
    await widgetPage.pass(DELAY_MS);
    widgetPage.service.release();
  },
  'the visitor took the suggestion': async (widgetPage) => {
    widgetPage.service.answer('a@bb.co', undeliverable({ did_you_mean: 'a@b.co' }));
    await widgetPage.enter('a@bb.co');
    await widgetPage.nextEvent('verified');
    await widgetPage.status.getByRole('button').click();
  },
};

for (const [cause, act] of Object.entries(ASKED_SINCE)) {
  test(`a value that is asked for since ${cause} is not put down to something else`, async ({
    widgetPage,
    service,
  }) => {
    leaveOutFor('an address comes all at once', widgetPage.page);
    const lines = linesOf(widgetPage);
    await widgetPage.open(FORM, withDebug(service.origin));
    await act(widgetPage);
    const reasons = () => including(lines, 'verifying: asking');
    await expect.poll(() => reasons().at(-1)).toContain(`email: state: verifying: asking, since ${cause}`);
  });
}

test('a held submission that is edited is dropped, and one whose address is rejected is refused', async ({
  widgetPage,
  service,
  site,
}) => {
  const lines = linesOf(widgetPage);
  const told = () => including(lines, 'submission:');
  service.answer('c@d.co', undeliverable());
  await widgetPage.sendWhilePending('a@b.co', FORM, withDebug(service.origin));
  await expect.poll(told).toHaveLength(2);
  await widgetPage.email.fill('c@d.co');
  await widgetPage.send.click();
  service.release();
  await widgetPage.nextEvent('verified');
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: held: the verdict is still to come',
      'email: submission: dropped: the form has changed or is gone, or its new window would be blocked',
      'email: submission: tried: a submit button was pressed',
      'email: submission: held: the verdict is still to come',
      'email: submission: refused: the address may not be submitted',
      'email: submission: invalid: "No mail arrives there."',
    ]);
  lines.length = 0;
  await widgetPage.send.click();
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: invalid: "No mail arrives there."',
    ]);
  expect(site.submissions).toHaveLength(0);
});

test('a submission that the page handles itself is not taken for a held one', async ({
  widgetPage,
  service,
}) => {
  leaveOutFor('an address comes all at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, {
    ...withDebug(service.origin),
    // It asks for the validity as well, which is no submission.
    after: `form.addEventListener('submit', (event) => event.preventDefault());
      email.addEventListener('input', () => form.checkValidity());`,
  });
  await widgetPage.email.fill('a@b.co');
  await widgetPage.email.press('Enter');
  await expect.poll(() => lines.at(-1)).toContain('let through; the page handles it itself');
  expect(including(lines, 'submission:')).toEqual([
    // By Enter, a browser presses the button.
    'email: submission: tried: a submit button was pressed',
    'email: submission: held: the verdict is still to come',
    'email: submission: carried out: nothing is pending any more',
    'email: submission: let through; the page handles it itself',
  ]);
});

test('a submission in a shadow root is told like any other', async ({ widgetPage, service }) => {
  leaveOutFor('an address comes all at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open('<div id="host"></div>', {
    ...withDebug(service.origin),
    after: `host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(FORM)};`,
  });
  const told = () => including(lines, 'submission:');
  service.answer('c@d.co', undeliverable());
  await widgetPage.enter('c@d.co');
  await widgetPage.nextEvent('verified');
  await widgetPage.send.click();
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: invalid: "No mail arrives there."',
    ]);
  lines.length = 0;
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  await widgetPage.send.click();
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: let through: submitted',
    ]);
});

test('an event of the page’s own by the name of one of the widget’s does not throw', async ({
  widgetPage,
  service,
}) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, withDebug(service.origin));
  await widgetPage.email.focus();
  lines.length = 0;
  await widgetPage.email.evaluate((input) => {
    for (const type of ['verifying', 'verified', 'error']) {
      input.dispatchEvent(new Event(type));
      for (const detail of [null, 'ours', {}]) input.dispatchEvent(new CustomEvent(type, { detail }));
    }
  });
  await widgetPage.email.fill('a@b.co');
  // An exception fails the test at its end.
  await expect.poll(() => lines[0]).toBe(`${PREFIX}email: key: changed to "a@b.co"`);
});

test('an observer that came first goes on when others begin and end', async ({ widgetPage, service }) => {
  const { page } = widgetPage;
  leaveOutFor('an address comes all at once', page);
  await widgetPage.open(FORM, { embed: 'none' });
  await page.evaluate(
    async ([debugUrl, widgetUrl, baseUrl]) => {
      const { observe } = await import(debugUrl!);
      const { install } = await import(widgetUrl!);
      const kinds: string[][] = [[], [], []];
      const stops = kinds.map((seen) => observe(({ kind }: { kind: string }) => seen.push(kind)));
      Object.assign(window, { kinds, stops });
      install({ apiKey: 'test_public_key', baseUrl });
    },
    [`${service.origin}/v2/debug.mjs`, `${service.origin}/v2/index.js`, service.origin],
  );
  const kinds = () =>
    page.evaluate(() => (Reflect.get(window, 'kinds') as string[][]).map((seen) => seen.splice(0)));
  const stop = (index: number) => page.evaluate((which) => Reflect.get(window, 'stops')[which](), index);
  const ALL = ['widget', 'key', 'state', 'request', 'answer', 'event'];
  await widgetPage.enter('a@b.co');
  await widgetPage.nextEvent('verified');
  for (const seen of await kinds()) expect(seen).toEqual(expect.arrayContaining(ALL));

  await stop(0);
  await stop(2);
  await widgetPage.enter('c@d.co');
  await widgetPage.nextEvent('verified');
  const [first, second, third] = await kinds();
  expect([first, third]).toEqual([[], []]);
  expect(second).toEqual(expect.arrayContaining(ALL.slice(1)));
});

test('an observer that comes while the widget asks does not take the answer for a remembered one', async ({
  widgetPage,
  service,
}) => {
  const { page } = widgetPage;
  service.hold();
  await widgetPage.open(FORM);
  await widgetPage.enter('a@b.co');
  await service.nextRequest();
  await page.evaluate(async (url) => {
    const { observe } = await import(url);
    const texts: string[] = [];
    observe(({ text }: { text: string }) => texts.push(text));
    Object.assign(window, { texts });
  }, `${service.origin}/v2/debug.mjs`);
  service.release();
  await widgetPage.nextEvent('verified');
  const texts = await page.evaluate(() => Reflect.get(window, 'texts') as string[]);
  expect(texts.at(-1)).toBe('verified: accepted, since state deliverable (accepted_email) is allowed');
});

test.describe('the option finds the file', () => {
  for (const path of ['/v2', '/v2/', '/v2/widget.js', '/v2/?from=cdn.js', '/v2.0.0/']) {
    test(`beside a script at ${path}`, async ({ widgetPage, service }) => {
      const lines = linesOf(widgetPage);
      await widgetPage.open(FORM, {
        embed: 'none',
        head: `<script async src="${service.origin}${path}" data-api-key="test_public_key" data-debug></script>`,
      });
      await expect.poll(() => lines).toContain(`${PREFIX}widget: option debug is true`);
      expect(widgetPage.warnings).toEqual([]);
    });
  }
});

test.describe('where the tag holds the widget to its digest', () => {
  /** The page's tag with `integrity`, and the debug file as it arrives there, with something after it. */
  async function openHeld(widgetPage: WidgetPage, { origin }: MockService, after: string): Promise<void> {
    await widgetPage.page.route(`**/${DEBUG_FILE}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()) + after });
    });
    const { integrity } = await (await fetch(`${origin}/v2/integrity.json`)).json();
    await widgetPage.open(FORM, {
      embed: 'none',
      head: `<script async src="${origin}/v2/" integrity="${integrity['widget.js']}" crossorigin="anonymous"
        data-api-key="test_public_key" data-debug></script>`,
    });
  }

  test('the debug file is loaded as it was built', async ({ widgetPage, service }) => {
    const lines = linesOf(widgetPage);
    await openHeld(widgetPage, service, '');
    await expect.poll(() => lines).toContain(`${PREFIX}widget: option debug is true`);
    expect(widgetPage.warnings).toEqual([]);
  });

  test('a debug file that was tampered with does not run, and one warning says so', async ({
    widgetPage,
    service,
  }) => {
    const lines = linesOf(widgetPage);
    await openHeld(widgetPage, service, ';window.isTampered = true;');
    await expect
      .poll(() => widgetPage.warnings)
      .toEqual([expect.stringContaining(`${service.origin}/v2/${DEBUG_FILE}`)]);
    await widgetPage.enter('a@b.co');
    await widgetPage.nextEvent('verified');
    expect(await widgetPage.page.evaluate('window.isTampered')).toBeUndefined();
    expect(lines).toEqual([]);
    expect(widgetPage.warnings).toHaveLength(1);
  });
});

for (const scheme of ['light', 'dark'] as const) {
  demoTest(
    `the demo’s page shows a field’s life, by the keyboard, 320 px wide, ${scheme}`,
    async ({ demo, page }) => {
      await page.setViewportSize({ width: 320, height: 800 });
      expect((await page.request.get(`${demo.origin}/v2/${DEBUG_FILE}`)).status()).toBe(200);
      await page.goto(`${demo.origin}/debug`);
      await showIn(page, scheme);
      expect(await weightOf(page), 'bytes for the page').toBeLessThan(40_000);
      await page.getByLabel('Email address').focus();
      await page.keyboard.type('disposable@example.com');
      await page.keyboard.press('Enter');
      const timeLine = page.getByRole('list', { name: 'Time line' });
      await expect(timeLine).toContainText('submission' + 'held: the verdict is still to come');
      await expect(timeLine).toContainText(
        'verified: rejected, since it is disposable, and allow.disposable is false',
      );
      await expect(timeLine).toContainText('answer200 after');

      expect(await faultsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await setView(page, 'Large text', true);
      expect(await overflowOf(page), 'in large type').toBe(0);

      await page.getByRole('button', { name: 'Clear' }).press('Enter');
      await expect(timeLine.getByRole('listitem')).toHaveCount(0);
    },
  );
}
