/**
 * A sandbox for each test, the page's own requests routed to it, and what to wait for. Nothing of the page under test
 * has to change.
 *
 * @module email-verify-widget/testing/playwright
 */
import {
  test as base,
  expect,
  type Locator,
  type Page,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type Route,
  type TestType,
} from '@playwright/test';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

export type { Answer, AnswerName, AnswerSequence, Answers, GivenReply } from './answers.ts';
export type { Preflight, Sandbox, SandboxOptions } from './sandbox.ts';
export type { AskedRequest, Script } from './script.ts';
export { expect };

/** What `test.use({ … })` takes. */
export interface SandboxTestOptions {
  /** How the test's sandbox answers and listens. @default {} */
  sandboxOptions: SandboxOptions;
  /**
   * The host that the page under test uses. Its requests for `/v1/verify` and for the widget's files (below `/v2/` or
   * a release such as `/v2.0.0/`) go to the sandbox. @default '' (the page uses the sandbox's own address)
   */
  verificationBaseUrl: string;
}

/** What a test may ask for by name, beside Playwright's own. */
export interface SandboxFixtures {
  /** A service of the test's own, stopped after it. */
  sandbox: Sandbox;
}

/** Spelled out: inferred, it would name a package that authors need not have at hand. */
type SandboxTest = TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & SandboxFixtures & SandboxTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;

/** Playwright's `test` with the fixture `sandbox`, and the options `sandboxOptions` and `verificationBaseUrl`. */
export const test: SandboxTest = base.extend<SandboxFixtures & SandboxTestOptions>({
  sandboxOptions: [{}, { option: true }],
  verificationBaseUrl: ['', { option: true }],
  sandbox: [
    async ({ sandboxOptions, verificationBaseUrl, context }, use) => {
      const sandbox = await startSandbox(sandboxOptions);
      if (verificationBaseUrl) await routeToSandbox(context, sandbox, verificationBaseUrl);
      await use(sandbox);
      await sandbox.stop();
    },
    // A test that does not name it wants no other service to be asked either.
    { auto: true },
  ],
});

/** The widget's files are at `/v2`, below `/v2/`, and below the address of a release, such as `/v2.0.0/`. */
const OURS = /^\/(v1\/verify|v2|v\d+\.\d+\.\d+)(?![^/?#])/;

/**
 * Sends the requests of a page, or of all pages of a context, to the sandbox instead of another host: those for
 * `/v1/verify` and for the widget's files. To the page, the responses come from that host.
 *
 * @param pages the page or the context
 * @param baseUrl the other host, as in the widget's option `baseUrl`
 */
export async function routeToSandbox(
  pages: Pick<Page, 'route'>,
  sandbox: Sandbox,
  baseUrl: string,
): Promise<void> {
  const host = baseUrl.replace(/\/+$/, '');
  const isOurs = ({ href }: URL) => href.startsWith(host) && OURS.test(href.slice(host.length));
  await pages.route(isOurs, async (route: Route) => {
    const path = route.request().url().slice(host.length);
    try {
      // Neither followed nor given up: what becomes of a redirect, or of silence, is for the page to say.
      const response = await route.fetch({ url: sandbox.origin + path, maxRedirects: 0, timeout: 0 });
      await route.fulfill({ response });
    } catch {
      // A broken connection; or the page has gone, and nobody waits for an answer.
      await route.abort('connectionreset').catch(() => {});
    }
  });
}

/** How a verification can end: `error` is no verdict, and the visitor may go on. */
export type Verdict = 'accepted' | 'rejected' | 'error';

/** How long is waited for a verdict: the widget's own limit is 5 seconds. */
const VERDICT_LIMIT_MS = 10_000;

/**
 * Waits until the verification of an input has ended.
 *
 * @param options `timeout`: how long, in milliseconds; 10,000 by default
 * @returns how
 * @throws when it has not ended by then
 */
export async function waitForVerdict(
  input: Locator,
  { timeout = VERDICT_LIMIT_MS }: { readonly timeout?: number | undefined } = {},
): Promise<Verdict> {
  await expect(input, 'a verdict').toHaveAttribute('data-email-verify', /^(accepted|rejected|error)$/, {
    timeout,
  });
  return (await input.getAttribute('data-email-verify')) as Verdict;
}

/**
 * Waits until an input's verification has ended in this way, and, where a message is given, until the visitor is told
 * so.
 *
 * @param message what the input is described by, as a screen reader says it
 * @throws when it ends otherwise, or not within 10 seconds
 * @example
 * await expectVerified(page.getByLabel('Email'), 'rejected', 'This address does not seem to exist.');
 */
export async function expectVerified(
  input: Locator,
  verdict: Verdict = 'accepted',
  message?: string | RegExp,
): Promise<void> {
  await expect(input, 'the verdict').toHaveAttribute('data-email-verify', verdict, {
    timeout: VERDICT_LIMIT_MS,
  });
  if (message !== undefined) await expect(input).toHaveAccessibleDescription(message);
}
