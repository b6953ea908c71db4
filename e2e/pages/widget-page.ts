/** A browser page with the widget on it, and what a test wants to know of it. */
import { type CDPSession, expect, type Locator, type Page, type Request } from '@playwright/test';
import { leaveOutFor, REPORTS_OF_THE_ENGINE } from '../engines/differences.ts';
import type { MockService } from '../mock-service/mock-service.ts';
import { documentOf, type Embedding, FORM, PUBLIC_KEY, TEXTS } from './documents.ts';
import { recordInPage, type SeenEvent } from './recorder.ts';
import type { Host, Site } from './site.ts';

export interface OpenOptions {
  /** @default 'queue' */
  readonly embed?: Embedding;
  /** The widget's options, over a key and the tests' texts; `undefined` takes one of these away. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly before?: string;
  readonly after?: string;
  readonly head?: string;
  readonly root?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 'localhost' */
  readonly host?: Host;
  /**
   * The page's clock: `flowing` goes on by itself and can be run ahead; `paused` stands still until it is run;
   * `real` is the browser's own.
   *
   * @default 'flowing'
   */
  readonly clock?: 'flowing' | 'paused' | 'real';
  /** Where the widget comes from and asks. @default the scripted service */
  readonly serviceOrigin?: string;
}

const HOUR_MS = 3_600_000;
const START = new Date('2026-01-05T08:00:00Z').getTime();

export class WidgetPage {
  /** Everything that scripts have written to the console as a warning. */
  readonly warnings: string[] = [];
  /** What was written to the console as an error, by scripts or by the browser. */
  readonly consoleErrors: string[] = [];
  /** Exceptions that nothing has caught. A test that expects one empties this. */
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

  /** The status element of a page that uses one input. Its text is read through its shadow root. */
  get status(): Locator {
    return this.page.locator('.email-verify-status');
  }

  /** Serves a page with this body, opens it, and is back when it has loaded. */
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

  /** Lets this much of the page's time pass: every timer of it runs, none of ours. */
  async pass(ms: number): Promise<void> {
    if (this.#clock === 'real')
      throw new Error('Expected a page whose clock can be driven, got the real one.');
    await this.page.clock.runFor(ms);
  }

  /** Runs time ahead in small steps, answers arriving in between, until the next event of a type. */
  async passUntil(type: SeenEvent['type'], limitMs = 60_000, stepMs = 250): Promise<SeenEvent> {
    for (let passed = 0; passed < limitMs; passed += stepMs) {
      if ((await this.events(type)).length > this.#taken[type]) break;
      await this.settle(stepMs);
    }
    return this.nextEvent(type);
  }

  /**
   * Waits for the page that is on its way, say by a submission: Chromium never closes one that it is just putting
   * in another's place. One that comes out of the back/forward cache has not been asked for, and is there at once.
   */
  async arrive(): Promise<void> {
    if ((await this.#navigation?.response())?.ok() && this.#navigation) {
      await this.page.waitForURL(this.#navigation.url(), { waitUntil: 'commit' });
    }
  }

  /** Calls the page's `emailVerify` as its own scripts would. */
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

  /** Goes to another page of the same site, as by a link. */
  async leave(): Promise<void> {
    const elsewhere = this.site.html('<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>');
    await this.page.evaluate((path) => {
      location.href = path;
    }, elsewhere);
    await expect(this.page.getByRole('heading', { name: 'Elsewhere' })).toBeVisible();
  }

  /** The browser's own Back. */
  async comeBack(): Promise<void> {
    // page.goBack() waits for a load that a page out of the cache never has. In a task of its own: a page that is
    // gone at once would leave this call without an answer.
    await this.page.evaluate(() => {
      setTimeout(() => history.back(), 0);
    });
    await expect(this.email).toBeVisible();
  }

  /** Opens a page, types, and sends while the verdict is still to come: the service holds it until `release()`. */
  async sendWhilePending(address: string, body = FORM, open: OpenOptions = {}): Promise<void> {
    this.service.hold();
    await this.open(body, open);
    await this.email.fill(address);
    await this.send.click();
    await this.service.nextRequest();
  }

  /** How often the page's scripts have called `fetch`: what an engine repeats by itself is not counted. */
  async fetches(): Promise<number> {
    return this.page.evaluate(() => window.e2e.fetchedAt.length);
  }

  /** Everything fired so far, in order; or of one type. */
  async events(type?: SeenEvent['type']): Promise<SeenEvent[]> {
    const events = await this.page.evaluate(() => window.e2e.events);
    return type === undefined ? events : events.filter((event) => event.type === type);
  }

  /** The next event of a type, since the page was opened, that no earlier call has returned; waits until it is there. */
  async nextEvent(type: SeenEvent['type']): Promise<SeenEvent> {
    const index = this.#taken[type]++;
    let found: SeenEvent | undefined;
    await expect(async () => {
      found = (await this.events(type))[index];
      expect(found, `event "${type}" number ${index + 1}`).toBeDefined();
    }).toPass({ intervals: [10, 20, 50, 100], timeout: 5_000 });
    return found!;
  }

  /**
   * Proves that the widget asks nothing (more): runs the page's time ahead, then sends a request of our own
   * after anything that it could have sent, and counts.
   *
   * @param ms how much time to run; less than the verification timeout where a request is being held
   */
  async expectNoRequest(ms = 3_000): Promise<void> {
    const before = this.service.asked;
    await this.settle(ms);
    expect(this.service.asked).toEqual(before);
  }

  /** Runs time ahead until whatever the widget has begun has reached the service and come back. */
  async settle(ms = 3_000): Promise<void> {
    if (ms > 0) await this.pass(ms);
    await this.page.evaluate(async (url) => {
      // What an answer has set going is behind the second pair. Offline, nothing else gets through either.
      for (const barrier of [url, '/barrier', url, '/barrier']) {
        await window.e2e.fetch(barrier).catch(() => undefined);
      }
    }, `${this.service.origin}/barrier`);
  }

  /**
   * Proves that so many forms have been submitted since the test began, and that no more come. A count of all
   * leaves no room for a wrong one that has arrived already when this is called.
   *
   * @param ms how much time to run; less than the verification timeout where a request is being held
   */
  async expectSubmissions(count: number, ms: number): Promise<void> {
    await this.settle(ms);
    expect(this.site.submissions).toHaveLength(count);
  }

  /** What the browser's constraint validation knows of an input. */
  async validity(
    input: Locator = this.email,
  ): Promise<{ valid: boolean; customError: boolean; message: string }> {
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

  /** Waits for the state that an input shows in `data-email-verify`; `null` when nothing is known of it. */
  async expectState(state: string | null, input: Locator = this.email): Promise<void> {
    if (state === null) await expect(input).not.toHaveAttribute('data-email-verify');
    else await expect(input).toHaveAttribute('data-email-verify', state);
  }

  /** The status element that describes this input. */
  async statusOf(input: Locator): Promise<Locator> {
    await expect
      .poll(() => input.evaluate((element) => Boolean(describing(element)), undefined), {
        message: 'an element of class email-verify-status that describes the input',
      })
      .toBe(true);
    const id = await input.evaluate((element) => describing(element)!.id);
    return this.page.locator(`.email-verify-status[id="${id}"]`);
  }

  /** What Playwright has no words for. It, and what is set by it, ends with the test. */
  async cdp(): Promise<CDPSession> {
    leaveOutFor('protocol of Chromium', this.page);
    this.#cdp ??= await this.page.context().newCDPSession(this.page);
    return this.#cdp;
  }

  /** How assistive technology sees an element: read from the browser's own accessibility tree. */
  async accessibility(element: Locator): Promise<Accessible> {
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

  /** The sum of all layout shifts so far, those right after a key included. */
  async layoutShift(): Promise<number> {
    return this.page.evaluate(() => window.e2e.shifts.reduce((sum, shift) => sum + shift, 0));
  }

  async violations(): Promise<string[]> {
    const violations = await this.page.evaluate(() => window.e2e.violations);
    // An icon that the browser asks for is none of the page's doing.
    return violations.filter((violation) => !violation.includes('/favicon.ico'));
  }
}

export interface Accessible {
  readonly ignored: boolean;
  readonly role: string;
  readonly name: string;
  readonly description: string;
  readonly invalid: string;
  readonly busy: boolean;
  readonly live: string;
}

/** Defined in every page, for `statusOf`. */
declare function describing(element: Element): Element | undefined;

/** Runs inside the page: finds the status among what describes an element, by id or by element reference. */
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
