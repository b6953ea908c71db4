/** The demo in a folder of a site, as behind a reverse proxy that removes the folder from each request. */
import type { Page } from '@playwright/test';
import { expect, test } from './pages/demo-page.ts';

const FOLDER = '/folder';

/** @returns the requests that left the folder */
async function serveInFolder(page: Page, origin: string): Promise<string[]> {
  const outside: string[] = [];
  await page.route(`${origin}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    if (!pathname.startsWith(`${FOLDER}/`)) {
      outside.push(pathname);
      await route.abort();
      return;
    }
    const response = await route.fetch({ url: origin + pathname.slice(FOLDER.length) + search });
    await route.fulfill({ response });
  });
  return outside;
}

test('verifies on the first page, whose tag names the folder', async ({ demo, page }) => {
  const outside = await serveInFolder(page, demo.origin);
  await page.goto(`${demo.origin}${FOLDER}/`);
  await page.getByRole('button', { name: 'does not exist' }).click();
  await expect(page.getByRole('textbox', { name: 'Email address' })).toHaveAttribute(
    'data-email-verify',
    'rejected',
  );
  await expect(page.locator('#tag')).toHaveText(
    `<script async src="${demo.origin}${FOLDER}/v2/"
  data-api-key="test_public_demo"
  data-base-url="${demo.origin}${FOLDER}"></script>`,
  );
  // What is still on its way is no fault.
  await page.unrouteAll({ behavior: 'wait' });
  expect(outside).toEqual([]);
});

test('verifies and simulates failures in the playground, whose code names the folder', async ({
  demo,
  page,
}) => {
  const outside = await serveInFolder(page, demo.origin);
  const email = page.frameLocator('#frame').getByLabel('Email address');
  const open = async (settings: string) => {
    await page.goto(`${demo.origin}${FOLDER}/playground/?${settings}#${settings}`);
    await page.getByRole('button', { name: 'deliverable@example.com', exact: true }).waitFor();
    // The widget's script has run when the frame has loaded.
    await expect.poll(() => page.frames()[1]?.url()).toContain('preview.html');
    await page.frames()[1]!.waitForLoadState();
  };
  await open('locale=de');
  await email.fill('undeliverable@example.com');
  await email.press('Tab');
  await expect(email).toHaveAttribute('data-email-verify', 'rejected');
  await expect(page.locator('#snippet')).toContainText(`data-base-url="${demo.origin}${FOLDER}"`);
  await expect(page.locator('#snippet')).toContainText(`src="${demo.origin}${FOLDER}/v2/locales/de.js"`);
  await open('simulate.answer=server-error');
  await email.fill('deliverable@example.com');
  await email.press('Tab');
  await expect(email).toHaveAttribute('data-email-verify', 'error');
  // What is still on its way is no fault.
  await page.unrouteAll({ behavior: 'wait' });
  expect(outside).toEqual([]);
});
