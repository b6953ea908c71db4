/**
 * The part of WebDriver that the journeys need, for WebKitGTK's MiniBrowser, which Playwright cannot drive. The browser
 * needs a display, and gets its own invisible one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '../../test/free-port.ts';
import type { Engine } from '../engines/engines.mjs';

const START_LIMIT_MS = 60_000;
const SCRIPT_LIMIT_MS = 15_000;
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export class WebDriver {
  readonly #processes: ChildProcess[];
  readonly #base: string;
  #session = '';

  private constructor(processes: ChildProcess[], base: string) {
    this.#processes = processes;
    this.#base = base;
  }

  static async start({ path, webDriver = '', display = '' }: Engine): Promise<WebDriver> {
    const screen = spawn(display, ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const number = await firstLine(screen);
    const port = await freePort();
    const server = spawn(webDriver, [`--port=${port}`], {
      env: { ...process.env, DISPLAY: `:${number}` },
      stdio: 'ignore',
    });
    const driver = new WebDriver([server, screen], `http://127.0.0.1:${port}`);
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: path, args: ['--automation'] } },
    };
    const session = (await driver.#call(
      'POST',
      '/session',
      { capabilities },
      { patienceMs: START_LIMIT_MS },
    )) as { sessionId: string };
    driver.#session = session.sessionId;
    return driver;
  }

  async stop(): Promise<void> {
    await this.#call('DELETE', `/session/${this.#session}`);
    for (const process of this.#processes) process.kill();
  }

  /** Sends a command of the session. @throws the browser's error */
  async post(command: string, parameters: object = {}): Promise<unknown> {
    return this.#call('POST', `/session/${this.#session}/${command}`, parameters);
  }

  /** @throws also after a while: WebKit does not always answer a script whose page a navigation takes away */
  async execute(script: string): Promise<unknown> {
    const parameters = { script, args: [] };
    const signal = AbortSignal.timeout(SCRIPT_LIMIT_MS);
    return this.#call('POST', `/session/${this.#session}/execute/sync`, parameters, { signal });
  }

  /** @returns the reference of the first element that the selector finds */
  async find(selector: string): Promise<string> {
    const found = await this.post('element', { using: 'css selector', value: selector });
    return (found as Record<string, string>)[ELEMENT]!;
  }

  /** @param patienceMs how long to wait for a server that is starting */
  async #call(
    method: string,
    path: string,
    body?: object,
    { patienceMs = 0, signal }: { patienceMs?: number; signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const patience = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        const response = await fetch(this.#base + path, {
          method,
          ...(body ? { body: JSON.stringify(body) } : {}),
          ...(signal ? { signal } : {}),
        });
        const { value } = (await response.json()) as { value: { error?: string; message?: string } };
        if (!response.ok) throw new WebDriverError(`${path}: ${value.error}: ${value.message}`);
        return value;
      } catch (error) {
        if (error instanceof WebDriverError || patience.aborted) throw error;
      }
    }
  }
}

class WebDriverError extends Error {}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.trim();
}
