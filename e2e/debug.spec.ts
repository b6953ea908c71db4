/** The log of the debug file about a field, how a page loads the file, and the demo's page that shows the log. */
import { leaveOutFor } from './engines/differences.ts';
import { expect, FORM, PATIENT, test, tryAgain, UNHURRIED, undeliverable } from './fixtures.ts';
import { test as demoTest, faultsOf, overflowOf, setView, showIn, weightOf } from './pages/demo-page.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const DEBUG_FILE = 'email-verify-widget-debug.js';
const PREFIX = 'email-verify-widget: ';
/** The widget's wait after the last change. */
const DELAY_MS = 1_000;

/** The lines of the page so far, without times. */
function linesOf({ page }: WidgetPage): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'log') lines.push(message.text().replace(/after \d+ ms/, 'after … ms'));
  });
  return lines;
}

/** The lines that contain a text, without the parts before the field's name. */
const including = (lines: readonly string[], text: string) =>
  lines.filter((line) => line.includes(text)).map((line) => line.replace(PREFIX, ''));

const withDebug = ({ service }: WidgetPage) => ({
  head: `<script src="${service.origin}/v2/${DEBUG_FILE}"></script>`,
});

/** Enters an address, and waits for its verdict. */
async function verify(widgetPage: WidgetPage, address: string): Promise<void> {
  await widgetPage.enter(address);
  await widgetPage.nextEvent('verified');
}

/** Begins to observe, until the page calls `stop()`. @returns a function that returns the texts so far */
async function observed({ page, service }: WidgetPage): Promise<() => Promise<string[]>> {
  await page.evaluate(async (url) => {
    const { observe } = await import(url);
    const texts: string[] = [];
    const stop = observe(({ text }: { text: string }) => texts.push(text));
    Object.assign(window, { texts, stop });
  }, `${service.origin}/v2/debug.mjs`);
  return () => page.evaluate(() => Reflect.get(window, 'texts') as string[]);
}

test('logs why an address was verified, the response, and the rule that decided', async ({ widgetPage }) => {
  leaveOutFor('an address filled in at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  widgetPage.service.answer('a@b.co', tryAgain(), undeliverable());
  await widgetPage.open(FORM, withDebug(widgetPage));
  await widgetPage.enter('a@b.co');
  await widgetPage.passUntil('verified');
  await expect.poll(() => lines).toContainEqual(expect.stringContaining('verified'));
  const told = lines.map((line) => line.replace('email-verify-widget: ', ''));
  expect(told.filter((line) => !line.startsWith('widget: option'))).toEqual([
    'widget: widget installed',
    'email: key: changed to "a@b.co"',
    'email: state: waiting: verifies 1000 ms after the last change, or when the field is left',
    'email: event: verifying "a@b.co"',
    `request: GET ${widgetPage.service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'email: state: verifying, because the field was left',
    'answer: 249 after … ms: no result yet, the widget repeats the request',
    `request: GET ${widgetPage.service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'answer: 200 after … ms',
    'email: state: rejected; custom validity "No mail arrives there."',
    'email: event: verified: rejected, because state undeliverable (rejected_email) is not in allow.states; the visitor reads "No mail arrives there."',
  ]);
  // The key is public, but the log does not show it.
  expect(told).toContain('widget: option apiKey set to a key');
});

test('logs that a submission is held, and that it is let through', async ({ widgetPage, service }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.sendWhilePending('a@b.co', FORM, withDebug(widgetPage));
  await expect.poll(() => lines.at(-1)).toContain('submission: held until the verdict');
  service.release();
  await widgetPage.sent();
  await expect.poll(() => lines.at(-1)).toContain('submission: let through: submitted');
  expect(lines.filter((line) => line.includes('submission:'))).toEqual([
    'email-verify-widget: email: submission: tried: a submit button was pressed',
    'email-verify-widget: email: submission: held until the verdict',
    'email-verify-widget: email: submission: carried out: all verifications are done',
    'email-verify-widget: email: submission: let through: submitted',
  ]);
});

test('logs why a field is not monitored', async ({ widgetPage }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(
    '<input name="email"><input type="email" name="old" readonly>',
    withDebug(widgetPage),
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

test('observes a widget that was there first, until the observer stops', async ({ widgetPage }) => {
  const { page } = widgetPage;
  leaveOutFor('an address filled in at once', page);
  await widgetPage.open(FORM);
  const texts = await observed(widgetPage);
  await verify(widgetPage, 'a@b.co');
  expect((await texts()).filter((text) => !text.startsWith('option'))).toEqual([
    // The widget's listeners run before the observer's.
    expect.stringContaining('waiting: verifies'),
    'changed to "a@b.co"',
    'verifying "a@b.co"',
    expect.stringMatching(/^GET .* for "a@b.co"/),
    'verifying, because the field was left',
    expect.stringMatching(/^200 after/),
    'accepted',
    'verified: accepted, because state deliverable (accepted_email) is allowed',
  ]);

  await page.evaluate(() => Reflect.get(window, 'stop')());
  const before = (await texts()).length;
  await verify(widgetPage, 'c@d.co');
  expect(await texts()).toHaveLength(before);
});

test('loads the file for a bare attribute of the tag, and follows the option', async ({ widgetPage }) => {
  const { page } = widgetPage;
  leaveOutFor('an address filled in at once', page);
  const lines = linesOf(widgetPage);
  const loaded = page.waitForResponse(`${widgetPage.service.origin}/v2/${DEBUG_FILE}`);
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script async src="${widgetPage.service.origin}/v2/" data-api-key="test_public_key" data-debug></script>`,
  });
  await loaded;
  await expect.poll(() => lines).toContain('email-verify-widget: widget: option apiKey is a key');
  await verify(widgetPage, 'a@b.co');
  await expect.poll(() => lines.at(-1)).toContain('verified');
  const told = () => lines.splice(0).map((line) => line.replace('email-verify-widget: ', ''));
  // It has loaded after the widget, and still logs everything about the field.
  expect(told().filter((line) => !line.startsWith('widget: option'))).toEqual([
    'email: state: waiting: verifies 1000 ms after the last change, or when the field is left',
    'email: key: changed to "a@b.co"',
    'email: event: verifying "a@b.co"',
    `request: GET ${widgetPage.service.origin}/v1/verify for "a@b.co", timeout 5 s`,
    'email: state: verifying, because the field was left',
    'answer: 200 after … ms',
    'email: state: accepted',
    'email: event: verified: accepted, because state deliverable (accepted_email) is allowed',
  ]);

  await page.evaluate(() => Reflect.get(window, 'emailVerify')('debug', false));
  await verify(widgetPage, 'c@d.co');
  expect(told()).toEqual(['widget: option debug set to false']);

  await page.evaluate(() => Reflect.get(window, 'emailVerify')('debug', true));
  await verify(widgetPage, 'a@b.co');
  await expect
    .poll(told)
    .toContain(
      'email: event: verified: accepted, because state deliverable (accepted_email) is allowed (remembered, without a request)',
    );
});

test('loads the file from the folder of the module for the option of the module', async ({ widgetPage }) => {
  leaveOutFor('an address filled in at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, { embed: 'module', options: { debug: true } });
  await expect.poll(() => lines).toContain('email-verify-widget: widget: option debug is true');
  await verify(widgetPage, 'a@b.co');
  await expect.poll(() => lines.at(-1)).toContain('verified: accepted');
});

test('logs that the status floats, and that verify() got a wrong input', async ({ widgetPage }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, { ...withDebug(widgetPage), options: { statusAppendTo: '#nowhere' } });
  await widgetPage.email.focus();
  await expect
    .poll(() => lines.at(-1))
    .toContain('the status floats: statusAppendTo matches no element (#nowhere)');
  await widgetPage.page.evaluate("emailVerify('verify', document.querySelector('#note'))");
  await expect
    .poll(() => lines.at(-1))
    .toContain('verify() called, but its argument is not a monitored input');
});

test('warns once if the file cannot be loaded, and the widget works', async ({ widgetPage, service }) => {
  await widgetPage.page.route(`**/${DEBUG_FILE}`, (route) => route.abort());
  await widgetPage.open(FORM, { options: { debug: true } });
  await verify(widgetPage, 'a@b.co');
  await expect
    .poll(() => widgetPage.warnings)
    .toEqual([expect.stringContaining(`${service.origin}/v2/${DEBUG_FILE}`)]);
});

/** What the visitor or the page does until the widget verifies `a@b.co` or its replacement. */
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
    // The visitor leaves the field in the same moment, but that is not the reason.
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
    await verify(widgetPage, 'a@bb.co');
    await widgetPage.status.getByRole('button').click();
  },
};

for (const [cause, act] of Object.entries(ASKED_SINCE)) {
  test(`logs the right reason for a request: ${cause}`, async ({ widgetPage }) => {
    leaveOutFor('an address filled in at once', widgetPage.page);
    const lines = linesOf(widgetPage);
    const waits = /delay|script/.test(cause) ? PATIENT : UNHURRIED;
    await widgetPage.open(FORM, { ...waits, ...withDebug(widgetPage) });
    await act(widgetPage);
    const reasons = () => including(lines, 'verifying, because');
    await expect.poll(() => reasons().at(-1)).toContain(`email: state: verifying, because ${cause}`);
  });
}

test('logs that an edited submission is dropped, and a rejected one refused', async ({ widgetPage }) => {
  const lines = linesOf(widgetPage);
  const told = () => including(lines, 'submission:');
  widgetPage.service.answer('c@d.co', undeliverable());
  await widgetPage.sendWhilePending('a@b.co', FORM, withDebug(widgetPage));
  await expect.poll(told).toHaveLength(2);
  await widgetPage.email.fill('c@d.co');
  await widgetPage.send.click();
  widgetPage.service.release();
  await widgetPage.nextEvent('verified');
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: held until the verdict',
      'email: submission: dropped: the form has changed or is gone, or the browser would block its new window',
      'email: submission: tried: a submit button was pressed',
      'email: submission: held until the verdict',
      'email: submission: refused: an address blocks the form',
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
  expect(widgetPage.site.submissions).toHaveLength(0);
});

test('logs a submission that the page handles itself, and not as held', async ({ widgetPage }) => {
  leaveOutFor('an address filled in at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, {
    ...UNHURRIED,
    ...withDebug(widgetPage),
    // It also checks the validity, which does not submit.
    after: `form.addEventListener('submit', (event) => event.preventDefault());
      email.addEventListener('input', () => form.checkValidity());`,
  });
  await widgetPage.email.fill('a@b.co');
  await widgetPage.email.press('Enter');
  await expect.poll(() => lines.at(-1)).toContain('let through; the page handles it itself');
  expect(including(lines, 'submission:')).toEqual([
    // A browser presses the button for Enter.
    'email: submission: tried: a submit button was pressed',
    'email: submission: held until the verdict',
    'email: submission: carried out: all verifications are done',
    'email: submission: let through; the page handles it itself',
  ]);
});

test('logs a submission in a shadow root like any other', async ({ widgetPage, service }) => {
  leaveOutFor('an address filled in at once', widgetPage.page);
  const lines = linesOf(widgetPage);
  await widgetPage.open('<div id="host"></div>', {
    ...withDebug(widgetPage),
    after: `host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(FORM)};`,
  });
  const told = () => including(lines, 'submission:');
  service.answer('c@d.co', undeliverable());
  await verify(widgetPage, 'c@d.co');
  await widgetPage.send.click();
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: invalid: "No mail arrives there."',
    ]);
  lines.length = 0;
  await verify(widgetPage, 'a@b.co');
  await widgetPage.send.click();
  await expect
    .poll(told)
    .toEqual([
      'email: submission: tried: a submit button was pressed',
      'email: submission: let through: submitted',
    ]);
});

test('does not throw for an event of the page with a name of the widget’s', async ({ widgetPage }) => {
  const lines = linesOf(widgetPage);
  await widgetPage.open(FORM, withDebug(widgetPage));
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

test('keeps an observer going when others begin and end', async ({ widgetPage, service }) => {
  const { page } = widgetPage;
  leaveOutFor('an address filled in at once', page);
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
  await verify(widgetPage, 'a@b.co');
  for (const seen of await kinds()) expect(seen).toEqual(expect.arrayContaining(ALL));

  await stop(0);
  await stop(2);
  await verify(widgetPage, 'c@d.co');
  const [first, second, third] = await kinds();
  expect([first, third]).toEqual([[], []]);
  expect(second).toEqual(expect.arrayContaining(ALL.slice(1)));
});

test('logs no response as remembered for an observer that begins meanwhile', async ({ widgetPage }) => {
  await widgetPage.enterWhilePending('a@b.co');
  const texts = await observed(widgetPage);
  widgetPage.service.release();
  await widgetPage.nextEvent('verified');
  const last = (await texts()).at(-1);
  expect(last).toBe('verified: accepted, because state deliverable (accepted_email) is allowed');
});

for (const scheme of ['light', 'dark'] as const) {
  demoTest(
    `shows the life of a field on the demo’s page, by keyboard, 320 px wide, ${scheme}`,
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
      await expect(timeLine).toContainText('submission' + 'held until the verdict');
      await expect(timeLine).toContainText(
        'verified: rejected, because it is disposable, and allow.disposable is false',
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
