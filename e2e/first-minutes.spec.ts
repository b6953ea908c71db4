/**
 * The first five minutes with the README: the page under "Try it on your own page". The README's command serves it on
 * another port than the service, which runs like `npm start`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test as base, expect, type Page } from '@playwright/test';
import { freePort } from '../test/free-port.ts';
import { eachRow } from './fixtures.ts';
import { type RunningService, startDemo } from './pages/service-process.ts';
import { snippet } from './pages/snippets.ts';
import { started } from './pages/started.ts';

const HEADING = 'Try it on your own page';
const fromReadme = (number: number) => snippet(HEADING, number, '../README');

interface Served {
  readonly url: string;
  readonly fileUrl: string;
}

interface Fixtures {
  demo: RunningService;
  /** Saves a page as the README says, and serves it with the README's command. */
  serve: (html: string) => Promise<Served>;
}

const test = base.extend<Fixtures>({
  demo: started(() => startDemo()),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  serve: async ({}, use, testInfo) => {
    const servers: ChildProcess[] = [];
    await use(async (html) => {
      const file = testInfo.outputPath(`${servers.length}`, 'page.html');
      mkdirSync(dirname(file));
      writeFileSync(file, html);
      const port = await freePort();
      const [, script = ''] = /^node -e "(.*)"$/m.exec(await fromReadme(3)) ?? [];
      expect(script).toContain('.listen(3000)');
      const parameters = ['-e', script.replace('3000', String(port))];
      servers.push(spawn(process.execPath, parameters, { cwd: dirname(file), stdio: 'inherit' }));
      const url = `http://localhost:${port}/`;
      await expect
        .poll(() =>
          fetch(url).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        .toBe(true);
      return { url, fileUrl: pathToFileURL(file).href };
    });
    for (const server of servers) {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    }
  },
});

/** The README's page, with the service's own port. */
async function pageFor(origin: string): Promise<string> {
  const html = await fromReadme(2);
  expect(html).toContain('"http://127.0.0.1:8080/');
  return html.replaceAll('http://127.0.0.1:8080', origin);
}

/** The rows of a table in the README, by their first cell, each with its other cells. */
function rowsUnder(heading: string): Record<string, string> {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const section = readme.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^ *\| (.*?) \| (.*) \|$/gm)].slice(2);
  return Object.fromEntries(rows.map(([, first = '', others = '']) => [first.replaceAll('`', ''), others]));
}

/** What the page's author reads in the console. */
function consoleOf(page: Page): string[] {
  const texts: string[] = [];
  page.on('console', (message) => texts.push(message.text()));
  // Playwright reports Firefox's message about a failed request as an exception.
  page.on('pageerror', (error) => texts.push(String(error)));
  return texts;
}

/** Types like a visitor, and leaves the field. */
async function type(page: Page, address: string): Promise<void> {
  await page.getByLabel('Email').pressSequentially(address);
  await page.keyboard.press('Tab');
}

const submit = (page: Page) => page.getByRole('button', { name: 'Sign up' }).click();

test('shows the README’s verdict for each address on the README’s page', async ({ demo, page, serve }) => {
  const { url } = await serve(await pageFor(demo.origin));
  expect(new URL(url).origin).not.toBe(demo.origin);
  const input = page.getByLabel('Email');
  const status = page.locator('.email-verify-status');
  const texts = consoleOf(page);
  await page.clock.install();

  const rows = rowsUnder(HEADING);
  expect(Object.keys(rows)).toHaveLength(5);
  await eachRow(rows, async (told, address) => {
    const message = /\*(.*?)\*/.exec(told)?.[1] ?? '';
    const isRejected = told.includes('cannot submit');
    const state = isRejected ? 'rejected' : told.includes('no verdict') ? 'error' : 'accepted';
    texts.length = 0;
    await page.goto(url);

    await type(page, address);

    // The page's time must not run ahead here: the widget waits only a few seconds of it for the real service.
    await expect(input).toHaveAttribute('data-email-verify', state);
    await expect(status).toHaveText(message);
    const event = state === 'error' ? /^error 249 / : RegExp(`^verified ${!isRejected}$`);
    await expect.poll(() => texts).toContainEqual(expect.stringMatching(event));
    if (told.includes('Press the suggestion')) {
      await status.getByRole('button').click();
      await expect(input).toHaveValue(/mean (.*)\?/.exec(message)?.[1] ?? '');
      await expect(status).toHaveText('');
      await expect(input).toHaveAttribute('data-email-verify', 'accepted');
    }
    const form = page.locator('form');
    expect(await form.evaluate((each: HTMLFormElement) => each.checkValidity())).toBe(!isRejected);
    if (isRejected) return;
    const query = new URLSearchParams({ email: await input.inputValue() });
    await submit(page);
    await expect(async () => {
      await page.clock.runFor(500);
      await expect(page).toHaveURL(`${url}?${query}`, { timeout: 100 });
    }).toPass();
  });
});

test('shows a wrong key, refused origin and unreachable host as the README says', async ({ page, serve }) => {
  const rows = rowsUnder('If it does not work');
  expect(Object.keys(rows)).toEqual(['wrong key', 'refused origin', 'unreachable host']);
  const texts = consoleOf(page);

  await eachRow(rows, async (told, cause) => {
    const demo = await startDemo();
    const html = await pageFor(demo.origin);
    const { url, fileUrl } = await serve(
      cause === 'wrong key' ? html.replace('test_public_demo', 'test_public_dmeo') : html,
    );
    texts.length = 0;
    await page.goto(cause === 'refused origin' ? fileUrl : url);
    if (cause === 'unreachable host') await demo.kill();

    await type(page, 'undeliverable@example.com');

    expect(told).toContain('an `error` event');
    await expect(page.getByLabel('Email')).toHaveAttribute('data-email-verify', 'error');
    await expect.poll(() => texts).toContainEqual(expect.stringMatching(/^error 0 .*baseUrl/));
    if (told.includes('CORS'))
      await expect.poll(() => texts).toContainEqual(expect.stringMatching(/ CORS |Cross-Origin/));
    await submit(page);
    await expect(page).toHaveURL(/\?email=undeliverable%40example\.com$/);
    await demo.kill();
  });
});

test('submits the form of a page that cannot load a script, as the README says', async ({ page, serve }) => {
  const { 'unreachable host': told } = rowsUnder('If it does not work');
  expect(told).toContain('a script that failed to load');
  const texts = consoleOf(page);
  const { url } = await serve(await pageFor(`http://127.0.0.1:${await freePort()}`));
  const failure = page.waitForEvent('requestfailed');
  await page.goto(url);
  expect((await failure).url()).toContain('/v2/');
  await type(page, 'undeliverable@example.com');
  await submit(page);
  await expect(page).toHaveURL(/\?email=undeliverable%40example\.com$/);
  expect(texts.filter((text) => text.startsWith('error'))).toEqual([]);
});
