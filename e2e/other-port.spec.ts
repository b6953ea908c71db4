/** The demo's key on an author's own page: the README's snippet on another port of this machine, and in a file. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { FORM } from './fixtures.ts';
import { test as base, expect } from './pages/demo-page.ts';
import { type Host, Site } from './pages/site.ts';

const test = base.extend<{ site: Site }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  site: async ({}, use) => {
    const site = await Site.start();
    await use(site);
    await site.stop();
  },
});

const documentFor = (origin: string) => `<!doctype html><html lang="en"><title>A page</title>${FORM}
  <script async src="${origin}/v2/" data-api-key="test_public_demo"></script></html>`;

/** Enters an address. @returns the status of the browser's response */
async function enter(page: Page, address: string): Promise<number> {
  const email = page.getByLabel('Email');
  const answer = page.waitForResponse((response) => response.url().includes('/v1/verify'));
  await email.fill(address);
  await email.press('Tab');
  return (await answer).status();
}

for (const host of ['localhost', '127.0.0.1'] satisfies Host[]) {
  test(`verifies with the demo's key on a page at ${host} of another port`, async ({ demo, page, site }) => {
    expect(new URL(site.origin(host)).port).not.toBe(new URL(demo.origin).port);
    await page.goto(site.origin(host) + site.html(documentFor(demo.origin)));
    expect(await enter(page, 'undeliverable@example.com')).toBe(200);
    await expect(page.getByLabel('Email')).toHaveAttribute('data-email-verify', 'rejected');
  });
}

test("verifies with the demo's key on a strict page isolated from others", async ({ demo, page, site }) => {
  const isolated = {
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  await page.goto(site.origin() + site.html(documentFor(demo.origin), isolated));
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(await enter(page, 'undeliverable@example.com')).toBe(200);
  await expect(page.getByLabel('Email')).toHaveAttribute('data-email-verify', 'rejected');
});

test('loads the widget on a page opened as a file, and refuses its requests', async ({
  demo,
  page,
}, testInfo) => {
  const file = testInfo.outputPath('page.html');
  writeFileSync(file, documentFor(demo.origin));
  await page.goto(pathToFileURL(file).href);
  const asked = page.waitForRequest((request) => request.url().includes('/v1/verify'));
  const email = page.getByLabel('Email');
  await email.fill('deliverable@example.com');
  await email.press('Tab');
  await expect(email).toHaveAttribute('data-email-verify', 'error');
  // The browser hides the answer from the page. A program with the same origin can read it.
  const answer = await fetch((await asked).url(), { headers: { origin: 'null' } });
  expect([answer.status, await answer.json()]).toEqual([
    403,
    { message: expect.stringContaining('The page has the origin null') },
  ]);
});
