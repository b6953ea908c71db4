/** The fixtures of journeys: a scripted `service`, a `site`, and a `visitor` in any engine. */
import { expect } from '@playwright/test';
import { findEngines } from '../engines/engines.mjs';
import type { MockService } from '../mock-service/mock-service.ts';
import { type DocumentParts, documentOf, FORM, PATIENT, PUBLIC_KEY, TEXTS } from '../pages/documents.ts';
import type { Site, Submission } from '../pages/site.ts';
import { test as base } from '../servers.ts';
import { PlaywrightVisitor, type Visitor, WebDriverVisitor } from './visitor.ts';
import { WebDriver } from './webdriver.ts';

interface Fixtures {
  visitor: Visitor;
  journey: Journey;
}

interface WorkerFixtures {
  /** Opens the browser once for all journeys of a worker. Each journey has its own origin. */
  visit: () => Promise<{ visitor: Visitor; leave: () => Promise<void> }>;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  visit: [
    async ({ playwright, browserName, channel, launchOptions }, use) => {
      const { webkit } = findEngines();
      if (browserName === 'webkit' && webkit?.driver === 'webdriver') {
        const driver = await WebDriver.start(webkit);
        await use(async () => ({ visitor: new WebDriverVisitor(driver), leave: async () => {} }));
        await driver.stop();
      } else {
        const browser = await playwright[browserName].launch({
          ...launchOptions,
          ...(channel ? { channel } : {}),
        });
        await use(async () => {
          const page = await browser.newPage();
          return { visitor: new PlaywrightVisitor(page), leave: () => page.close() };
        });
        await browser.close();
      }
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  visitor: async ({ visit }, use) => {
    const { visitor, leave } = await visit();
    await use(visitor);
    await leave();
  },
  journey: async ({ visitor, service, site }, use) => {
    await use(new Journey(visitor, service, site));
    expect(await visitor.read('window.caught || []'), 'exceptions that nothing caught').toEqual([]);
  },
});

/** Runs before everything else on the page. Records exceptions and the widget's events. */
const RECORD = `
  var caught = [], heard = [];
  addEventListener('error', function (event) { if (event instanceof ErrorEvent) caught.push(event.message) }, true);
  addEventListener('unhandledrejection', function (event) { caught.push(String(event.reason)) });
  ['verifying', 'verified', 'error'].forEach(function (type) {
    addEventListener(type, function (event) {
      if (event instanceof CustomEvent) heard.push({ type: type, detail: event.detail, value: event.target.value });
    }, true);
  });`;

export type Opening = Partial<DocumentParts> & { readonly headers?: Readonly<Record<string, string>> };

/** A page with the widget, and what a visitor and the page's author see there. */
export class Journey {
  constructor(
    readonly visitor: Visitor,
    readonly service: MockService,
    readonly site: Site,
  ) {}

  async open({ options, before = '', headers, ...parts }: Opening = {}): Promise<void> {
    const html = documentOf({
      body: FORM,
      embed: 'queue',
      serviceOrigin: this.service.origin,
      ...parts,
      before: RECORD + before,
      options: { apiKey: PUBLIC_KEY, messages: TEXTS, ...options },
    });
    await this.visitor.open(this.site.origin() + this.site.html(html, headers));
    await this.see('Boolean(window.emailVerify) && !window.emailVerify.q || Boolean(window.widget)', true);
  }

  /** Types an address into the empty input, and goes on to the next field. */
  async enter(address: string): Promise<void> {
    await this.visitor.type('#email', address);
    await this.visitor.press('Tab');
  }

  /** The same for an input with another address. */
  async enterInstead(address: string): Promise<void> {
    await this.visitor.empty('#email');
    await this.enter(address);
  }

  /** Opens a page, types, and submits before the verdict. The service holds the request, for which the widget waits long. */
  async sendWhilePending(
    address: string,
    opening: Opening = {},
    submit: () => Promise<unknown> = () => this.visitor.click('#send'),
  ): Promise<void> {
    this.service.hold();
    await this.open({ ...opening, options: { ...PATIENT.options, ...opening.options } });
    await this.visitor.type('#email', address);
    await submit();
    await this.service.nextRequest();
  }

  /** Waits for the first submission. @returns its fields */
  async sent(): Promise<Submission['fields']> {
    return (await this.site.submission()).fields;
  }

  /** Waits until an expression has a value on the page. Exceptions during a navigation do not count. */
  async see(expression: string, value: unknown): Promise<void> {
    await expect
      .poll(() => this.visitor.read(expression).catch(String), {
        message: expression,
        intervals: [20, 50, 100],
      })
      .toEqual(value);
  }

  async seeState(state: string | null): Promise<void> {
    await this.see(`document.querySelector('#email').getAttribute('data-email-verify')`, state);
  }

  /** The visible text of the status element. There is none without the widget's second file. */
  async seeStatus(text: string): Promise<void> {
    const { face } = this.service;
    await this.see(STATUS_TEXT, face === 'missing' || face === 'changed' ? null : text);
  }

  async seeCustomValidity(message: string): Promise<void> {
    const input = `document.querySelector('#email')`;
    await this.see(`${input}.validity.customError ? ${input}.validationMessage : ''`, message);
  }

  /** The types of the events since the page was opened. */
  async heard(): Promise<string[]> {
    return this.visitor.read('heard.map(function (event) { return event.type })');
  }
}

const STATUS_TEXT = `(function () {
  var status = document.querySelector('.email-verify-status');
  var box = status && status.shadowRoot.querySelector('[part~=status]');
  return !status ? null : !box || box.hidden ? '' : box.textContent;
})()`;

export * from '../../src/testing/replies.ts';
export { FORM, PATIENT, PUBLIC_KEY, TEXTS, UNHURRIED } from '../pages/documents.ts';
export { expect };
