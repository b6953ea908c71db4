/** A browser page with the widget, and functions that tests use on it. */
import { type CDPSession, expect, type Locator, type Page, type Request } from '@playwright/test';
import { leaveOutFor, REPORTS_OF_THE_ENGINE } from '../engines/differences.ts';
import type { MockService } from '../mock-service/mock-service.ts';
import { documentOf, type Embedding, FORM, PATIENT, PUBLIC_KEY, TEXTS } from './documents.ts';
import { recordInPage, type SeenEvent } from './recorder.ts';
import type { Host, Site, Submission } from './site.ts';

export interface OpenOptions {
  /** @default 'queue' */
  readonly embed?: Embedding;
  /** The widget's options. They override a key and the tests' texts; `undefined` removes one of these. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly before?: string;
  readonly after?: string;
  readonly head?: string;
  readonly root?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 'localhost' */
  readonly host?: Host;
  /**
   * The page's clock: `flowing` runs by itself, and a test can move it forward; `paused` runs only when a test moves it;
   * `real` is the browser's clock.
   *
   * @default 'flowing'
   */
  readonly clock?: 'flowing' | 'paused' | 'real';
  /** The service that serves the widget and gets its requests. @default the scripted service */
  readonly serviceOrigin?: string;
}

/** The same page, with a widget that waits long for a response, unless the options say otherwise. */
const patient = (open: OpenOptions): OpenOptions => ({
  ...open,
  options: { ...PATIENT.options, ...open.options },
});

const HOUR_MS = 3_600_000;
const START = new Date('2026-01-05T08:00:00Z').getTime();

export class WidgetPage {
  /** Warnings that scripts have written to the console. */
  readonly warnings: string[] = [];
  /** Errors in the console, from scripts or the browser. */
  readonly consoleErrors: string[] = [];
  /** Uncaught exceptions. A test that expects one empties this list. */
  readonly pageErrors: string[] = [];
  #taken = { verifying: 0, verified: 0, error: 0 };
  #cdp: CDPSession | undefined;
  #clock: NonNullable<OpenOptions['clock']> = 'real';
  #navigation: Request | undefined;

  private constructor(
    readonly page: Page,
    readonly site: Site,
    readonly service: MockService,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'warning') this.warnings.push(message.text());
      if (message.type() === 'error') this.consoleErrors.push(message.text());
    });
    page.on('pageerror', (error) => {
      const text = error.stack ?? String(error);
      if (!REPORTS_OF_THE_ENGINE.test(text)) this.pageErrors.push(text);
    });
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) this.#navigation = request;
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#navigation = undefined;
    });
  }

  static async on(page: Page, site: Site, service: MockService): Promise<WidgetPage> {
    await page.addInitScript(recordInPage);
    await page.addInitScript(defineDescribing);
    return new WidgetPage(page, site, service);
  }

  get email(): Locator {
    return this.page.locator('#email');
  }

  get send(): Locator {
    return this.page.locator('#send');
  }

  /** The second field of {@link FORM}. */
  get note(): Locator {
    return this.page.locator('#note');
  }

  /** The status element of a page that uses one input. Its text is read through its shadow root. */
  get status(): Locator {
    return this.page.locator('.email-verify-status');
  }

  /** Serves a page with this body, opens it, and returns when it has loaded. */
  async open(body: string, open: OpenOptions = {}): Promise<void> {
    const serviceOrigin = open.serviceOrigin ?? this.service.origin;
    const options: Record<string, unknown> = { apiKey: PUBLIC_KEY, messages: TEXTS, ...open.options };
    const { before, after, head, root } = open;
    const html = documentOf({
      body,
      embed: open.embed ?? 'queue',
      options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
      serviceOrigin,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(head === undefined ? {} : { head }),
      ...(root === undefined ? {} : { root }),
    });
    await this.openDocument(html, open);
  }

  /** The same for a whole document of the test's own. */
  async openDocument(
    html: string,
    open: Pick<OpenOptions, 'headers' | 'host' | 'clock'> = {},
  ): Promise<void> {
    const clock = open.clock ?? 'flowing';
    if (clock !== 'real' && this.#clock === 'real') await this.page.clock.install({ time: START });
    this.#clock = clock;
    this.#taken = { verifying: 0, verified: 0, error: 0 };
    await this.page.goto(this.site.origin(open.host) + this.site.html(html, open.headers));
    if (clock === 'paused') await this.page.clock.pauseAt(START + HOUR_MS);
  }

  /** Lets this much of the page's time pass. All its timers run, but none of ours. */
  async pass(ms: number): Promise<void> {
    if (this.#clock === 'real')
      throw new Error('Expected a page whose clock can be driven, got the real one.');
    await this.page.clock.runFor(ms);
  }

  /** Moves time forward in small steps, so that responses arrive in between, until the next event of a type. */
  async passUntil(type: SeenEvent['type'], limitMs = 60_000, stepMs = 250): Promise<SeenEvent> {
    for (let passed = 0; passed < limitMs; passed += stepMs) {
      if ((await this.events(type)).length > this.#taken[type]) break;
      await this.settle(stepMs);
    }
    return this.nextEvent(type);
  }

  /**
   * Waits for the next page, such as after a submission, because Chromium never closes a page during a navigation. A page
   * from the back/forward cache is there at once, without a request.
   */
  async arrive(): Promise<void> {
    if ((await this.#navigation?.response())?.ok() && this.#navigation) {
      await this.page.waitForURL(this.#navigation.url(), { waitUntil: 'commit' });
    }
  }

  /** Calls the page's `emailVerify` as the page's own scripts do. */
  async call(...parameters: unknown[]): Promise<unknown> {
    return this.page.evaluate(
      (all) => Reflect.apply(Reflect.get(window, 'emailVerify'), window, all),
      parameters,
    );
  }

  /** Types an address and goes on to the next field. */
  async enter(address: string, input: Locator = this.email): Promise<void> {
    await input.fill(address);
    await input.press('Tab');
  }

  /** The same for an address that the widget accepts, and waits for that. */
  async enterAccepted(address: string, input: Locator = this.email): Promise<void> {
    await this.enter(address, input);
    await this.expectState('accepted', input);
  }

  /** The same for an address that the widget rejects, and waits for that. */
  async enterRejected(address: string, input: Locator = this.email): Promise<void> {
    await this.enter(address, input);
    await this.expectState('rejected', input);
  }

  /** The same, and waits for this text in the status of the only input. */
  async enterAndRead(address: string, text: string): Promise<void> {
    await this.enter(address);
    await expect(this.status).toHaveText(text);
  }

  /** Goes to another page of the same site, as a link does. */
  async leave(): Promise<void> {
    const elsewhere = this.site.html('<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>');
    await this.page.evaluate((path) => {
      location.href = path;
    }, elsewhere);
    await expect(this.page.getByRole('heading', { name: 'Elsewhere' })).toBeVisible();
  }

  /** The browser's own Back. */
  async comeBack(): Promise<void> {
    // page.goBack() waits for a load, which a page from the cache does not have. It runs in its own task: if the page is
    // gone at once, this call would never return.
    await this.page.evaluate(() => {
      setTimeout(() => history.back(), 0);
    });
    await expect(this.email).toBeVisible();
    // After all scripts, if the page was loaded again.
    await expect.poll(() => this.page.evaluate('document.readyState')).toBe('complete');
  }

  /**
   * Opens a page, types, and submits before the verdict. The service holds the request until `release()`, and the widget
   * waits long for it.
   *
   * @param submit @default by the button
   */
  async sendWhilePending(
    address: string,
    body = FORM,
    open: OpenOptions = {},
    submit: () => Promise<unknown> = () => this.send.click(),
  ): Promise<void> {
    this.service.hold();
    await this.open(body, patient(open));
    await this.email.fill(address);
    await submit();
    await this.service.nextRequest();
  }

  /**
   * Opens a page, types, and goes on to the next field before the verdict. The service holds the request until
   * `release()`, and the widget waits long for it.
   */
  async enterWhilePending(address: string, body = FORM, open: OpenOptions = {}): Promise<void> {
    this.service.hold();
    await this.open(body, patient(open));
    await this.enter(address);
    await this.service.nextRequest();
  }

  /** Lets the service answer what it holds, and waits for the state of the input. */
  async release(state: 'accepted' | 'rejected'): Promise<void> {
    this.service.release();
    await this.expectState(state);
  }

  /** Waits until so many forms have been submitted since the test began. @returns the fields of the last of them */
  async sent(count = 1): Promise<Submission['fields']> {
    return (await this.site.submission(count)).fields;
  }

  /** The same for the only one: no other follows. */
  async sentOnce(): Promise<Submission['fields']> {
    const fields = await this.sent();
    await this.expectSubmissions(1, 1_000);
    return fields;
  }

  /** How often the page's scripts have called `fetch`, without requests that an engine repeats. */
  async fetches(): Promise<number> {
    return this.page.evaluate(() => window.e2e.fetchedAt.length);
  }

  /** All events so far, in order, or only those of one type. */
  async events(type?: SeenEvent['type']): Promise<SeenEvent[]> {
    const events = await this.page.evaluate(() => window.e2e.events);
    return type === undefined ? events : events.filter((event) => event.type === type);
  }

  /** Waits for the next event of a type that no earlier call has returned, since the page was opened. */
  async nextEvent(type: SeenEvent['type']): Promise<SeenEvent> {
    const index = this.#taken[type]++;
    let found: SeenEvent | undefined;
    const look = async () => {
      found = (await this.events(type))[index];
      return found;
    };
    const message = `event "${type}" number ${index + 1}`;
    await expect.poll(look, { message, intervals: [10, 20, 50, 100] }).toBeDefined();
    return found!;
  }

  /**
   * Proves that the widget sends no more requests: moves the page's time forward, sends a request of our own after any
   * request of the widget, and counts.
   *
   * @param ms how much time to run; less than the verification timeout where a request is being held
   */
  async expectNoRequest(ms = 3_000): Promise<void> {
    const before = this.service.asked;
    await this.settle(ms);
    expect(this.service.asked).toEqual(before);
  }

  /** Moves time forward until all requests of the widget have reached the service and returned. */
  async settle(ms = 3_000): Promise<void> {
    if (ms > 0) await this.pass(ms);
    await this.page.evaluate(async (url) => {
      // The second pair covers what a response has started. Offline, other requests do not get through either.
      for (const barrier of [url, '/barrier', url, '/barrier']) {
        await window.e2e.fetch(barrier).catch(() => undefined);
      }
    }, `${this.service.origin}/barrier`);
  }

  /**
   * Proves that so many forms have been submitted since the test began, and that no more follow. It counts all, so that a
   * wrong one that arrived earlier is found too.
   *
   * @param ms how much time to run; less than the verification timeout where a request is being held
   */
  async expectSubmissions(count: number, ms: number): Promise<void> {
    await this.settle(ms);
    expect(this.site.submissions).toHaveLength(count);
  }

  /** An input's state in the browser's constraint validation. */
  async validity(input: Locator = this.email) {
    return input.evaluate((element) => {
      const { validity, validationMessage } = element as HTMLInputElement;
      return { valid: validity.valid, customError: validity.customError, message: validationMessage };
    });
  }

  /** Waits for an input's custom validity: a message, or `''` for none. */
  async expectCustomValidity(message: string, input: Locator = this.email): Promise<void> {
    await expect
      .poll(async () => {
        const validity = await this.validity(input);
        return validity.customError ? validity.message : '';
      })
      .toBe(message);
  }

  /** Waits for an input's `data-email-verify`, or `null` for no attribute. */
  async expectState(state: string | null, input: Locator = this.email): Promise<void> {
    if (state === null) await expect(input).not.toHaveAttribute('data-email-verify');
    else await expect(input).toHaveAttribute('data-email-verify', state);
  }

  /** Expects that the input of {@link FORM} has no attributes of the widget. */
  async expectOwnAttributes(): Promise<void> {
    expect(await this.email.evaluate((input) => input.getAttributeNames().join())).toBe('id,name,type');
  }

  /** The status element that describes this input. */
  async statusOf(input: Locator): Promise<Locator> {
    await expect
      .poll(() => input.evaluate((element) => Boolean(describing(element))), {
        message: 'an element of class email-verify-status that describes the input',
      })
      .toBe(true);
    const id = await input.evaluate((element) => describing(element)!.id);
    return this.page.locator(`.email-verify-status[id="${id}"]`);
  }

  /** A session for commands that Playwright does not have. It ends with the test, and so do its settings. */
  async cdp(): Promise<CDPSession> {
    leaveOutFor('protocol of Chromium', this.page);
    this.#cdp ??= await this.page.context().newCDPSession(this.page);
    return this.#cdp;
  }

  /** An element as assistive technology sees it, from the browser's accessibility tree. */
  async accessibility(element: Locator) {
    const cdp = await this.cdp();
    await element.evaluate((node) => Object.assign(window, { e2eProbe: node }));
    const { result } = await cdp.send('Runtime.evaluate', { expression: 'window.e2eProbe' });
    const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId!,
      fetchRelatives: false,
    });
    const node = nodes[0]!;
    const property = (name: string) => node.properties?.find((entry) => entry.name === name)?.value.value;
    return {
      ignored: node.ignored,
      role: String(node.role?.value ?? ''),
      name: String(node.name?.value ?? ''),
      description: String(node.description?.value ?? ''),
      invalid: String(property('invalid') ?? 'false'),
      busy: Boolean(property('busy')),
      live: String(property('live') ?? ''),
    };
  }

  /** The sum of all layout shifts so far, including those directly after a key. */
  async layoutShift(): Promise<number> {
    return this.page.evaluate(() => window.e2e.shifts.reduce((sum, shift) => sum + shift, 0));
  }

  async violations(): Promise<string[]> {
    const violations = await this.page.evaluate(() => window.e2e.violations);
    // The browser requests the icon by itself.
    return violations.filter((violation) => !violation.includes('/favicon.ico'));
  }
}

/** Defined in every page, for `statusOf`. */
declare function describing(element: Element): Element | undefined;

/** Runs inside the page. Finds the status that describes an element, by id or by element reference. */
function defineDescribing(): void {
  const find = (element: Element): Element | undefined => {
    const root = element.getRootNode() as Document | ShadowRoot;
    const byId = (element.getAttribute('aria-describedby') ?? '')
      .split(/\s+/)
      .map((id) => root.getElementById(id));
    const byReference =
      (element as { ariaDescribedByElements?: Element[] | null }).ariaDescribedByElements ?? [];
    for (const found of [...byId, ...byReference]) {
      if (found?.classList.contains('email-verify-status')) return found;
    }
    return undefined;
  };
  Object.defineProperty(window, 'describing', { value: find });
}
