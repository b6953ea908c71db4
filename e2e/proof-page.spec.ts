/** The demo's page of the proof: what a server gets with a form, what it means, and how the server refuses a false one. */
import type { Page } from '@playwright/test';
import { expect, expectNobodyLeftOut, expectNoCollision, test } from './pages/demo-page.ts';

const ADDRESS = 'role@example.com';

const verdict = (page: Page) => page.locator('#verdict');
const proof = (page: Page) => page.getByLabel('Proof', { exact: true });
const part = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.getByRole('term').getByText(name, { exact: true }) });
const valueShown = (page: Page, name: string) => part(page, name).getByRole('definition').first();

/** Fills in the form by the keyboard, and waits for the verdict of the server. */
async function submit(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/proof/`);
  await page.getByLabel('Email address').focus();
  await page.keyboard.type(ADDRESS);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'What the server gets' })).toBeFocused();
  await expect(verdict(page)).toHaveText('The proof is genuine. The service says: deliverable.');
}

test('shows the proof of a submission in words, and the key that checked it', async ({ demo, page }) => {
  await submit(page, demo.origin);
  await expect(page.getByLabel('Address', { exact: true })).toHaveValue(ADDRESS);
  const [head = '', body = ''] = (await proof(page).inputValue()).split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  await expect(valueShown(page, 'alg')).toHaveText('ES256');
  await expect(valueShown(page, 'aud')).toHaveText(demo.origin);
  await expect(valueShown(page, 'role')).toHaveText('true');
  await expect(valueShown(page, 'jti')).toHaveText(decode(body).jti);
  const { keys } = await (await page.request.get(`${demo.origin}/.well-known/jwks.json`)).json();
  const key = keys.find(({ kid }: { kid: string }) => kid === decode(head).kid);
  await expect(page.locator('#key')).toHaveText(JSON.stringify(key, undefined, 2));
  // Every name has its meaning.
  await expect(page.getByText('It is not part of a proof.')).toHaveCount(0);
});

test('refuses each false proof with a server’s code, and takes the genuine one', async ({ demo, page }) => {
  await submit(page, demo.origin);
  const codes = {
    'one character': 'signature',
    'another score': 'signature',
    'no algorithm': 'malformed',
    'another key': 'unknown-key',
  };
  for (const [change, code] of Object.entries(codes)) {
    await page.getByRole('button', { name: change }).press('Enter');
    await expect(verdict(page).locator('code')).toHaveText(code);
    await page.getByRole('button', { name: 'as it was sent' }).press('Enter');
    await expect(verdict(page)).toHaveText(/^The proof is genuine/);
  }
  await proof(page).press('End');
  await proof(page).press('x');
  await expect(verdict(page).locator('code')).toHaveText('malformed');
  await page.getByRole('button', { name: 'as it was sent' }).click();
  await page.getByLabel('Address', { exact: true }).fill('somebody@example.com');
  await expect(verdict(page).locator('code')).toHaveText('other-address');
  await proof(page).fill('');
  await expect(verdict(page).locator('code')).toHaveText('absent');
  await expect(page.getByText('It has no header and no claims that can be read.')).toBeVisible();
  await expect(page.getByRole('term')).toHaveCount(0);
});

test('works at another name of the machine, and without a proof', async ({ demo, page }) => {
  const { port } = new URL(demo.origin);
  await submit(page, `http://localhost:${port}`);
  await expect(valueShown(page, 'aud')).toHaveText(`http://localhost:${port}`);
  await page.route('**/v1/verify?*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.getByLabel('Email address').fill('other@example.com');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(verdict(page).locator('code')).toHaveText('absent');
  await page.getByRole('button', { name: 'one character' }).click();
  await expect(verdict(page).locator('code')).toHaveText('absent');
});

test('passes axe, fits a phone, and covers no field with a message', async ({ demo, page }) => {
  test.slow();
  for (const width of [320, 390, 1_200]) {
    await page.setViewportSize({ width, height: 900 });
    await submit(page, demo.origin);
    await expectNoCollision(page, `${width} px`);
    await expectNobodyLeftOut(page);
    await page.evaluate(() => localStorage.clear());
  }
});
