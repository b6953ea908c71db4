/**
 * A tab of the browser, driven directly over its protocol. Playwright makes every page report exceptions with their
 * stacks. Each exception that a script catches then costs another parse of its source: 2 ms more for an installation that
 * takes 2 ms. This file does not turn that on.
 */
import type { CDPSession } from '@playwright/test';

type Parameters = Readonly<Record<string, unknown>>;

export interface Tab {
  send<Result = unknown>(method: string, parameters?: Parameters): Promise<Result>;
  /** Runs a function in the page. It has to return JSON, or a promise of JSON. */
  evaluate<Result, Given = undefined>(
    task: (given: Given) => Result | Promise<Result>,
    given?: Given,
  ): Promise<Result>;
  /** Goes to a page, and waits until it is loaded. */
  load(url: string): Promise<void>;
  /** Presses and releases a key: a character, or Tab, Enter or Backspace. */
  press(key: string): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Far longer than any step takes, even with a slow processor. */
const PATIENCE_MS = 120_000;

const NAMED_KEYS: Readonly<Record<string, Parameters>> = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Backspace: { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 },
};

/**
 * @param browser a session of the whole browser
 * @param everyPage runs in each page before its own scripts
 * @param isPrivate whether it gets a private window like that of a new visitor, without storage or open connections
 */
export async function openTab(browser: CDPSession, everyPage: string, isPrivate = true): Promise<Tab> {
  const context = isPrivate ? await browser.send('Target.createBrowserContext') : undefined;
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', ...context });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId });

  let count = 0;
  const waiting = new Map<number, { done(result: unknown): void; failed(error: Error): void }>();
  let loaded = () => {};
  const receive = ({ sessionId: about, message }: { sessionId: string; message: string }) => {
    if (about !== sessionId) return;
    const { id, method, result, error } = JSON.parse(message) as Message;
    if (method === 'Page.loadEventFired') loaded();
    const waiter = waiting.get(id ?? 0);
    if (!waiter) return;
    waiting.delete(id!);
    if (error) waiter.failed(new Error(error.message));
    else waiter.done(result);
  };
  browser.on('Target.receivedMessageFromTarget', receive);

  const tab: Tab = {
    send<Result>(method: string, parameters: Parameters = {}) {
      count += 1;
      const id = count;
      const message = JSON.stringify({ id, method, params: parameters });
      const answer = new Promise<Result>((done, failed) => {
        waiting.set(id, { done: done as (result: unknown) => void, failed });
        const late = () =>
          failed(new Error(`Expected an answer to ${method}, got none: ${message.slice(0, 150)}`));
        setTimeout(() => waiting.delete(id) && late(), PATIENCE_MS).unref();
      });
      return browser.send('Target.sendMessageToTarget', { sessionId, message }).then(() => answer);
    },

    async evaluate<Result, Given>(task: (given: Given) => Result | Promise<Result>, given?: Given) {
      const { result, exceptionDetails } = await tab.send<{
        result: { value: Result };
        exceptionDetails?: { text: string; exception?: { description?: string } };
      }>('Runtime.evaluate', {
        expression: `(${task})(${JSON.stringify(given)})`,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },

    async load(url) {
      const done = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      const { errorText } = await tab.send<{ errorText?: string }>('Page.navigate', { url });
      if (errorText) throw new Error(`Expected ${url} to be there: ${errorText}`);
      await done;
    },

    async press(key) {
      const named = NAMED_KEYS[key] ?? { key, text: key };
      await tab.send('Input.dispatchKeyEvent', {
        type: 'text' in named ? 'keyDown' : 'rawKeyDown',
        ...named,
      });
      await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...named, text: undefined });
    },

    async close() {
      browser.off('Target.receivedMessageFromTarget', receive);
      if (context) await browser.send('Target.disposeBrowserContext', context);
      else await browser.send('Target.closeTarget', { targetId });
    },
  };
  await tab.send('Page.enable');
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: everyPage });
  // Several tabs are open, and each behaves as the active one.
  await tab.send('Emulation.setFocusEmulationEnabled', { enabled: true });
  return tab;
}
