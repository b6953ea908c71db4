/** What a person sees who is faster than the build of a start: pages that come by themselves, and the widget. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from '@playwright/test';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** The built service, which makes nothing: each line of standard input says that a part is there now. */
const SCRIPT = `
  import { createInterface } from 'node:readline';
  import { run } from '${new URL('../dist/service/run.js', import.meta.url).href}';
  const making = {};
  const succeed = {};
  for (const part of ['widget', 'docs', 'reference']) {
    making[part] = new Promise((resolve) => { succeed[part] = resolve; });
  }
  createInterface(process.stdin).on('line', (part) => succeed[part]());
  const [folder, ...parameters] = process.argv.slice(1);
  await run({ folder, parameters, making });`;

interface Unfinished {
  readonly origin: string;
  make(part: 'widget' | 'docs' | 'reference'): void;
}

const test = base.extend<{ service: Unfinished }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern.
  service: async ({}, use, testInfo) => {
    const config = testInfo.outputPath('config.json');
    writeFileSync(config, JSON.stringify({ keys: [{ key: 'test_private', kind: 'private' }] }));
    const child: ChildProcess = spawn(
      process.execPath,
      ['--input-type=module', '--eval', SCRIPT, '--', FOLDER, '--config', config, '--port', '0'],
      { stdio: ['pipe', 'pipe', 'ignore'] },
    );
    const exit = once(child, 'exit');
    const listens = once(child.stdout!, 'data');
    const [line] = await Promise.race([
      listens,
      exit.then(([code]) => Promise.reject(new Error(`ended with ${code}`))),
    ]);
    await use({
      origin: /http:\S+/.exec(String(line))![0],
      make: (part) => void child.stdin!.write(`${part}\n`),
    });
    child.kill();
    await exit;
  },
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  for (const [part, path, heading] of [
    ['docs', '/docs/start/', /^Start$/],
    ['reference', '/reference/', /^email-verify-widget/],
  ] as const) {
    test(`shows a page of the ${part} by itself once it is made`, async ({ page, service }) => {
      const answer = await page.goto(`${service.origin}${path}`);
      expect(answer?.status()).toBe(503);
      await expect(page.getByRole('heading', { name: 'This page is being made' })).toBeVisible();
      service.make(part);
      await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
    });
  }
});

test('runs the widget in a page that asked for it before it was made', async ({ page, service }) => {
  const asked = page.waitForRequest(`${service.origin}/v2/`);
  await page.setContent(
    `<script async src="${service.origin}/v2/" data-api-key="test_public"></script><input type="email">`,
    { waitUntil: 'commit' },
  );
  await asked;
  expect(await page.evaluate(() => typeof Reflect.get(window, 'emailVerify'))).toBe('undefined');
  service.make('widget');
  await page.waitForFunction(() => typeof Reflect.get(window, 'emailVerify') === 'function');
});
