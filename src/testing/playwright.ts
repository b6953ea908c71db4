/**
 * Fixtures for Playwright: a sandbox for each test, a route from the page's requests to it, and functions that wait for a
 * verdict. The page under test stays as it is.
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

/** Options for `test.use({ … })`. */
export interface SandboxTestOptions {
  /** Options of the test's sandbox. @default {} */
  sandboxOptions: SandboxOptions;
  /**
   * The URL of the service that the page under test uses. The sandbox then gets the page's requests for `/v1/verify` and
   * for the widget's files (below `/v2/` or a release such as `/v2.0.0/`).
   *
   * @default '' (the page uses the sandbox's own URL)
   */
  verificationBaseUrl: string;
}

/** The fixtures that `test` adds to Playwright's own. */
export interface SandboxFixtures {
  /** The test's own service. It stops after the test. */
  sandbox: Sandbox;
}

/** Written out, because the inferred type would name a package that authors may not have installed. */
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
    // Automatic: a test that does not name the fixture must not reach another service either.
    { auto: true },
  ],
});

/** The widget's files are at `/v2`, below `/v2/`, and below the URL of a release, such as `/v2.0.0/`. */
const OURS = /^\/(v1\/verify|v2|v\d+\.\d+\.\d+)(?![^/?#])/;

/**
 * Sends requests of a page, or of all pages of a context, to the sandbox instead of another host: those for `/v1/verify`
 * and for the widget's files. The page sees that host's URLs.
 *
 * @param pages the page or the context
 * @param sandbox the sandbox that answers
 * @param baseUrl the URL of the other host, as in the widget's option `baseUrl`
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
      // The page itself decides about redirects and timeouts.
      const response = await route.fetch({ url: sandbox.origin + path, maxRedirects: 0, timeout: 0 });
      await route.fulfill({ response });
    } catch {
      // The connection broke, or the page has closed.
      await route.abort('connectionreset').catch(() => {});
    }
  });
}

/** The end of a verification. `error` means that there is no verdict, and that the visitor can submit the form. */
export type Verdict = 'accepted' | 'rejected' | 'error';

/** The longest wait for a verdict. The widget's own limit is 5 seconds. */
const VERDICT_LIMIT_MS = 10_000;
const ATTRIBUTE = 'data-email-verify';

/**
 * Waits until the verification of an input has ended.
 *
 * @param options `timeout`: the longest wait, in milliseconds. The default is 10,000
 * @returns how it ended
 * @throws if it has not ended by then
 */
export async function waitForVerdict(
  input: Locator,
  { timeout = VERDICT_LIMIT_MS }: { readonly timeout?: number | undefined } = {},
): Promise<Verdict> {
  await expect(input, 'a verdict').toHaveAttribute(ATTRIBUTE, /^(accepted|rejected|error)$/, { timeout });
  return (await input.getAttribute(ATTRIBUTE)) as Verdict;
}

/**
 * Waits until the verification of an input has ended with a verdict. With a message, also waits until the input has it.
 *
 * @param verdict the expected end of the verification. The default is `'accepted'`
 * @param message the expected description of the input, as screen readers announce it
 * @throws if it ends in another way, or not within 10 seconds
 * @example
 * await expectVerified(page.getByLabel('Email'), 'rejected', 'This address does not seem to exist.');
 */
export async function expectVerified(
  input: Locator,
  verdict: Verdict = 'accepted',
  message?: string | RegExp,
): Promise<void> {
  await expect(input, 'the verdict').toHaveAttribute(ATTRIBUTE, verdict, { timeout: VERDICT_LIMIT_MS });
  if (message !== undefined) await expect(input).toHaveAccessibleDescription(message);
}
