/**
 * The actions of a person in a browser, and what a test can see there. The same for every engine and driver.
 */
import type { Page } from '@playwright/test';
import type { WebDriver } from './webdriver.ts';

export type Key = 'Tab' | 'Enter' | 'Delete' | 'Space';

export interface Visitor {
  open(url: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Focuses an element like a click, and types at the end of its text. */
  type(selector: string, text: string): Promise<void>;
  /** Deletes the text of an element as a person does: selects all of it first. */
  empty(selector: string): Promise<void>;
  /** Presses a key, or the keys of a text, in the focused element. */
  press(key: Key): Promise<void>;
  typeOn(text: string): Promise<void>;
  /** The value of a JavaScript expression, as JSON. */
  read<Value>(expression: string): Promise<Value>;
}

/** A browser that Playwright drives, by its own protocol or over WebDriver BiDi. */
export class PlaywrightVisitor implements Visitor {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async open(url: string): Promise<void> {
    await this.#page.goto(url);
  }

  async click(selector: string): Promise<void> {
    await this.#page.locator(selector).click();
  }

  async type(selector: string, text: string): Promise<void> {
    await this.#page.locator(selector).pressSequentially(text);
  }

  async empty(selector: string): Promise<void> {
    await this.#page.locator(selector).press('ControlOrMeta+a');
    await this.press('Delete');
  }

  async press(key: Key): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  async typeOn(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  async read<Value>(expression: string): Promise<Value> {
    return this.#page.evaluate<Value>(expression);
  }
}

/** The keys of WebDriver, which are letters of Unicode's private use. */
const KEYS: Readonly<Record<Key | 'Control', string>> = {
  Tab: '\ue004',
  Enter: '\ue007',
  Control: '\ue009',
  Space: '\ue00d',
  Delete: '\ue017',
};

export class WebDriverVisitor implements Visitor {
  readonly #driver: WebDriver;

  constructor(driver: WebDriver) {
    this.#driver = driver;
  }

  async open(url: string): Promise<void> {
    await this.#driver.post('url', { url });
  }

  async click(selector: string): Promise<void> {
    await this.#driver.post(`element/${await this.#driver.find(selector)}/click`);
  }

  async type(selector: string, text: string): Promise<void> {
    await this.#driver.post(`element/${await this.#driver.find(selector)}/value`, { text });
  }

  async empty(selector: string): Promise<void> {
    await this.type(selector, `${KEYS.Control}a${KEYS.Delete}`);
  }

  async press(key: Key): Promise<void> {
    await this.typeOn(KEYS[key]);
  }

  async typeOn(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#driver.post('actions', { actions: [{ type: 'key', id: 'keyboard', actions }] });
  }

  async read<Value>(expression: string): Promise<Value> {
    return (await this.#driver.execute(`return (${expression})`)) as Value;
  }
}
