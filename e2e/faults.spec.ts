/** Tries every row of the tables in docs/faults.md, by its name and figures. */

import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import type { BrowserContext, Page } from '@playwright/test';
import { exampleResult, type Reply } from '../src/testing/replies.ts';
import { engineOf, leaveOutFor } from './engines/differences.ts';
import {
  deliverable,
  dripping,
  drop,
  expect,
  FORM,
  hang,
  JOE,
  PATIENT,
  redirect,
  reset,
  result,
  stalled,
  status,
  test,
  text,
  truncated,
  tryAgain,
  withHeaders,
  withoutCors,
} from './fixtures.ts';
import { MockService } from './mock-service/mock-service.ts';
import type { OpenOptions, WidgetPage } from './pages/widget-page.ts';

const OWN_MESSAGE = 'The service says why.';
/** Longer than any verification may take. */
const LIMIT_MS = 12_000;
const DAY_MS = 86_400_000;

interface Trouble {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly service: MockService;
  readonly widgetPage: WidgetPage;
  /** Another service, which responds well to every request. */
  readonly elsewhere: MockService;
}

/** How to cause a row's failure: the service's response, how the page is opened, and what happens meanwhile. */
interface Fault {
  readonly reply?: Reply | ((trouble: Trouble) => Reply);
  readonly open?: OpenOptions | ((trouble: Trouble) => OpenOptions | Promise<OpenOptions>);
  /** Before an address is entered. */
  readonly before?: (trouble: Trouble) => unknown;
  /** While the service has the request. A response that comes meanwhile is released here. */
  readonly during?: (trouble: Trouble) => unknown;
  /** The page's own server is unreachable too, so that no form can be submitted before the end. */
  readonly isAll?: true;
  /** Ends the failure. The service's response is repaired in any case. @returns a better `baseUrl`, if needed */
  readonly heal?: (trouble: Trouble) => unknown;
}

const HTML = '<!doctype html><title>Sign in</title><script>alert(1)</script><p>Sign in to this network</p>';
const LONG = 'x'.repeat(100_000);
const FIELDS = Object.keys(exampleResult(JOE)).filter((name) => name !== 'state');

const json = (value: unknown) => text(JSON.stringify(value));
const withState = (state: unknown) => json({ ...exampleResult(JOE), state });
const atBase = (baseUrl: string): Fault => ({ open: { options: { baseUrl } } });
const toElsewhere = (code: number): Fault => ({
  reply: ({ elsewhere }) => redirect(code, `${elsewhere.origin}/v1/verify?email=${JOE}`),
});

const FAILURES: Record<string, Fault> = {
  'the connection is refused': { open: async () => ({ options: { baseUrl: await nobodysOrigin() } }) },
  'the connection is reset': { reply: reset() },
  'the connection is closed without a response': { reply: drop() },
  'the host name does not resolve (DNS)': atBase('http://nowhere.invalid'),
  'the service does not support TLS': {
    open: ({ service }) => ({ options: { baseUrl: service.origin.replace('http:', 'https:') } }),
  },
  '`baseUrl` is not a valid URL': atBase('http://['),
  "the page's content security policy forbids the connection": {
    open: ({ service }) => ({
      headers: { 'content-security-policy': `connect-src 'self' ${service.origin}/barrier` },
    }),
    heal: ({ widgetPage }) => widgetPage.site.origin(),
  },
  'the browser is offline': {
    async before({ context, widgetPage }) {
      // At the first contact, the browser still gets the widget's face. journeys/face.spec.ts has pages without it.
      await widgetPage.email.focus();
      await expect(widgetPage.status).toHaveCount(1);
      await context.setOffline(true);
    },
    isAll: true,
    heal: ({ context }) => context.setOffline(false),
  },
  'the page has replaced `fetch` with a broken function': {
    open: {
      before:
        'var own = fetch; fetch = function () { if (window.mended) return own.apply(window, arguments) };',
    },
    heal: ({ page }) => page.evaluate('mended = true'),
  },
  'the response never arrives': { reply: hang() },
  'the response is still arriving at the time limit': { reply: dripping() },
  'the response stops half-way': { reply: stalled() },
  'the machine sleeps during the request': {
    reply: hang(),
    during: ({ page }) => page.clock.fastForward(DAY_MS / 3),
  },
  'the connection breaks during the response': { reply: truncated() },
  'the connection breaks during a chunked response': {
    reply: withHeaders(truncated(), { 'transfer-encoding': 'chunked' }),
  },
  'the response is not compressed as its header says': {
    reply: withHeaders(result(), { 'content-encoding': 'gzip' }),
  },
  'the response has no CORS header': { reply: withoutCors(result()) },
  "the response's CORS header names another origin": {
    reply: withHeaders(withoutCors(result()), { 'access-control-allow-origin': 'https://other.example' }),
  },
  "the response's CORS header names two origins": {
    reply: withHeaders(withoutCors(result()), { 'access-control-allow-origin': '*, http://localhost' }),
  },
  '301 to another URL': toElsewhere(301),
  '302 to another URL': toElsewhere(302),
  '303 to another URL': toElsewhere(303),
  '307 to another URL': toElsewhere(307),
  '308 to another URL': toElsewhere(308),
  '200 without a body': { reply: text('') },
  '200 with an HTML page': { reply: text(HTML, 'text/html') },
  '200 with truncated JSON': { reply: text('{"state":"deliverable",') },
  '200 with JSON nested 100,000 levels deep': {
    reply: text(`{"state":"deliverable","tag":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  },
  '200 with JSON that is not an object': { reply: json([exampleResult(JOE)]) },
  '200 with a body of 5 MB': { reply: json({ ...exampleResult(JOE), first_name: 'x'.repeat(5_000_000) }) },
  '200 without `state`': { reply: withState(undefined) },
  '200 with `state` null': { reply: withState(null) },
  '200 with `state` of a wrong type': { reply: withState(['deliverable']) },
  '200 with an unknown `state`': { reply: withState('fine') },
  '200 with a `state` of 100 kB': { reply: withState(LONG) },
  '200 with another field of 100 kB': { reply: json({ ...exampleResult(JOE), did_you_mean: LONG }) },
  '204': { reply: status(204) },
  '249 to every request': { reply: tryAgain(OWN_MESSAGE), open: { options: { verificationTimeout: 10 } } },
  '249 without a message to every request': {
    reply: status(249),
    open: { options: { verificationTimeout: 10 } },
  },
  '500 with an HTML page': { reply: { ...text(HTML, 'text/html'), status: 500 } },
  '500 with a `message` that is not a text': { reply: { ...json({ message: { a: 1 } }), status: 500 } },
  '500 with a `message` of 100 kB': { reply: status(500, LONG) },
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 429, 500, 503].map((code) => [code, { reply: status(code, OWN_MESSAGE) }]),
  ),
};

/** Applies `change` to every field but `state`, with one address for each field. */
const everyField =
  (change: (fields: Record<string, unknown>, name: string) => void) =>
  async ({ service, widgetPage }: Trouble) => {
    for (const name of FIELDS) {
      const address = `${name}@example.com`;
      const fields: Record<string, unknown> = { ...exampleResult(address) };
      change(fields, name);
      service.answer(address, json(fields));
      await widgetPage.enter(address);
      expect((await widgetPage.nextEvent('verified')).detail, name).toMatchObject({
        accepted: true,
        message: '',
      });
    }
  };

const NO_FAILURES: Record<string, Fault> = {
  'a field other than `state` is missing': { before: everyField((fields, name) => delete fields[name]) },
  'a field other than `state` is null': {
    before: everyField((fields, name) => {
      fields[name] = null;
    }),
  },
  'a field other than `state` is of a wrong type': {
    before: everyField((fields, name) => {
      fields[name] = typeof fields[name] === 'boolean' ? 'true' : [{ toString: 1 }, 'a@b.example'];
    }),
  },
  'the page is hidden during the request': {
    during: async ({ page, service }) => {
      await page.evaluate(setVisibility, 'hidden' as const);
      service.release();
      await page.evaluate(setVisibility, 'visible' as const);
    },
  },
  'the page is frozen during the request': {
    during: async ({ context, page, service }) => {
      leaveOutFor('protocol of Chromium', page);
      const cdp = await context.newCDPSession(page);
      await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
      service.release();
      await cdp.send('Page.setWebLifecycleState', { state: 'active' });
    },
  },
  'the system clock jumps ahead by a day': { during: (trouble) => jump(trouble, DAY_MS) },
  'the system clock jumps back by a day': { during: (trouble) => jump(trouble, -DAY_MS) },
};

/** The ways in which a visitor leaves a page whose verdict is pending. */
const DEPARTURES: Record<string, (page: Page) => Promise<unknown>> = {
  'the visitor goes to another page during the request': (page) =>
    page.evaluate(() => {
      location.href = '/elsewhere';
    }),
  'the page is reloaded during the request': (page) => page.reload(),
  'the frame with the page is removed during the request': (page) =>
    page.evaluate(() => document.querySelector('#frame')!.remove()),
};

/** Sets the machine's clock. No time passes. */
async function jump({ page, service }: Trouble, ms: number): Promise<void> {
  await page.clock.setSystemTime((await page.evaluate(() => Date.now())) + ms);
  service.release();
}

/** Runs inside the page. Imitates another tab in front of it, because the tests' browser has none. */
function setVisibility(state: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
  Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** An origin without a server: a port that was free a moment ago. */
async function nobodysOrigin(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** The rows of the table under a heading of docs/faults.md, with their cells as in the file. */
function rowsUnder(heading: string): string[][] {
  const page = readFileSync(new URL('../docs/faults.md', import.meta.url), 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Opens a page with this failure. */
async function face(fault: Fault, trouble: Trouble): Promise<void> {
  const { service, widgetPage } = trouble;
  const { reply, open = {} } = fault;
  if (reply) service.answer('*', typeof reply === 'function' ? reply(trouble) : reply);
  await widgetPage.open(FORM, typeof open === 'function' ? await open(trouble) : open);
  await fault.before?.(trouble);
}

const rows = {
  failures: rowsUnder('Failures'),
  noFailures: rowsUnder('Harmless conditions'),
  departures: rowsUnder('Leaving the page'),
};

const troubled = test.extend<{ trouble: Trouble }>({
  trouble: async ({ context, page, service, widgetPage }, use) => {
    const elsewhere = await MockService.start();
    await use({ page, context, service, widgetPage, elsewhere });
    await elsewhere.stop();
  },
});

troubled('tries every row of docs/faults.md, and nothing else', () => {
  expect(rows.failures.map(([name]) => name).sort()).toEqual(Object.keys(FAILURES).sort());
  expect(rows.noFailures.map(([name]) => name).sort()).toEqual(Object.keys(NO_FAILURES).sort());
  expect(rows.departures.map(([name]) => name).sort()).toEqual(Object.keys(DEPARTURES).sort());
});

troubled.describe('a failure leaves the visitor free', () => {
  for (const [name = '', code, message, requests] of rows.failures) {
    troubled(name, async ({ page, site, trouble }) => {
      const { service, elsewhere, widgetPage } = trouble;
      const fault = FAILURES[name]!;
      await face(fault, trouble);
      await widgetPage.enter(JOE);
      if (fault.during) {
        await service.nextRequest();
        await fault.during(trouble);
      }

      const event = await widgetPage.passUntil('error', LIMIT_MS, 500);
      expect(event).toMatchObject({ on: 'email', bubbles: false, isCustomEvent: true });
      expect(event.detail).toEqual({
        status: Number(code),
        message: message === "the response's `message`" ? OWN_MESSAGE : message,
      });
      await expectFree(widgetPage);
      await widgetPage.expectNoRequest(10_000);
      // Firefox repeats a request whose connection was closed before the response.
      const isRepeated = engineOf(page) === 'firefox' && /^the connection is (reset|closed)/.test(name);
      const askedFor = isRepeated ? () => widgetPage.fetches() : () => service.asked.length;
      expect(await askedFor()).toBe(Number(requests));

      const attempts = fault.isAll ? 1 : 2;
      if (fault.isAll) await heal(fault, trouble);
      await widgetPage.send.click();
      if (!fault.isAll) await widgetPage.passUntil('error', LIMIT_MS, 500);
      expect((await site.submission()).fields).toMatchObject({ email: JOE, via: 'button' });
      await widgetPage.expectSubmissions(1, 1_000);
      expect(await widgetPage.events('error')).toHaveLength(attempts);
      if (!fault.isAll) {
        await expectFree(widgetPage);
        expect(await askedFor()).toBe(attempts * Number(requests));
        expect(await widgetPage.events('verified')).toEqual([]);
        await heal(fault, trouble);
      }

      await widgetPage.enterAccepted('jane@example.com');
      expect((await widgetPage.events('verified')).at(-1)).toMatchObject({ value: 'jane@example.com' });
      expect(elsewhere.requests).toEqual([]);
    });
  }
});

async function heal(fault: Fault, trouble: Trouble): Promise<void> {
  const { service, widgetPage } = trouble;
  const better = await fault.heal?.(trouble);
  service.answer('*', deliverable());
  await widgetPage.call('baseUrl', typeof better === 'string' ? better : service.origin);
}

troubled.describe('no failure', () => {
  for (const [name = ''] of rows.noFailures) {
    troubled(name, async ({ site, trouble }) => {
      const { service, widgetPage } = trouble;
      const fault = NO_FAILURES[name]!;
      if (fault.during) service.hold();
      await face({ open: PATIENT, ...fault }, trouble);
      await widgetPage.enter(JOE);
      if (fault.during) {
        await service.nextRequest();
        await fault.during(trouble);
      }
      await widgetPage.expectState('accepted');
      await widgetPage.send.click();
      await site.submission();
      await widgetPage.expectSubmissions(1, 1_000);
      expect(await widgetPage.events('error')).toEqual([]);
      expect(service.asked.filter((email) => email === JOE)).toHaveLength(1);
    });
  }
});

troubled.describe('leaving', () => {
  for (const [name = ''] of rows.departures) {
    troubled(name, async ({ page, site, trouble }) => {
      const { service, widgetPage } = trouble;
      const told: string[] = [];
      await page.exposeFunction('told', (what: string) => told.push(what));
      service.hold();
      // The page calls a function of the test in its last moment, because the test outlives it.
      await widgetPage.open(FORM, {
        ...PATIENT,
        before: `['verified', 'error'].forEach(function (type) {
          addEventListener(type, function (event) { if (event.detail) top.told(type) }, true);
        });
        addEventListener('unhandledrejection', function () { top.told('unhandled rejection') });`,
      });
      const path = new URL(page.url()).pathname;
      const isFramed = name.includes('frame');
      if (isFramed) {
        await widgetPage.openDocument(`<!doctype html><iframe id="frame" src="${path}"></iframe>`);
      }
      const root = isFramed ? page.frameLocator('#frame') : page;
      await root.locator('#email').fill(JOE);
      await root.locator('#email').press('Enter');
      const request = await service.nextRequest();
      await DEPARTURES[name]!(page);
      await expect.poll(() => request.aborted).toBe(true);
      // Longer than this page's verification may take.
      await widgetPage.settle((PATIENT.options.verificationTimeout + 1) * 1_000);
      expect(told).toEqual([]);
      expect(service.asked).toEqual([JOE]);
      expect(site.submissions).toEqual([]);
    });
  }
});

/** Expects that the widget shows no message and blocks nothing. */
async function expectFree(widgetPage: WidgetPage): Promise<void> {
  await widgetPage.expectState('error');
  await widgetPage.expectCustomValidity('');
  await expect(widgetPage.status).not.toContainText(/\S/);
  await expect(widgetPage.email).not.toHaveAttribute('aria-busy');
  await expect(widgetPage.email).not.toHaveAttribute('aria-invalid');
}
