/** The testing kit's Playwright fixtures, as an application's author uses them. docs/testing.md has these lines. */
import { readFile } from 'node:fs/promises';
import { expect, expectVerified, test, waitForVerdict } from 'email-verify-widget/testing/playwright';

const SIGN_UP = `<!doctype html><html lang="en"><title>Sign up</title>
  <script async src="https://verify.example/v2/" data-api-key="live_public_key" data-verify-after-delay="100"
    data-verification-timeout="60"></script>
  <form><label>Email <input type="email" name="email"></label> <button>Sign up</button></form>
  <script>
    document.forms[0].addEventListener('submit', (event) => {
      event.preventDefault();
      document.body.append('Welcome');
    });
  </script>`;

test.beforeEach(async ({ page }) => {
  // The application's server.
  await page.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: SIGN_UP }),
  );
});

// The host that the page calls in production, and the answers that it gets in tests.
test.use({
  verificationBaseUrl: 'https://verify.example',
  sandboxOptions: { answers: { 'a@b.example': 'undeliverable' } },
});

test('rejects an address that does not exist', async ({ page, sandbox }) => {
  await page.goto('https://shop.example/sign-up');
  const email = page.getByLabel('Email');
  await email.fill('a@b.example');
  await expectVerified(email, 'rejected', 'This address does not seem to exist.');
  expect(sandbox.asked).toEqual(['a@b.example']);
});

test('signs up when the answer arrives', async ({ page, sandbox }) => {
  sandbox.hold();
  await page.goto('https://shop.example/sign-up');
  await page.getByLabel('Email').fill('joe@b.example');
  await page.getByRole('button').click();
  await sandbox.nextRequest();
  await expect(page.getByText('Welcome')).toBeHidden();
  sandbox.answer('joe@b.example', 'deliverable');
  sandbox.release();
  await expect(page.getByText('Welcome')).toBeVisible();
});

test('lets a visitor sign up when the service is down', async ({ page, sandbox }) => {
  sandbox.answer('*', 'drop');
  await page.goto('https://shop.example/sign-up');
  const email = page.getByLabel('Email');
  await email.fill('joe@b.example');
  await page.getByRole('button').click();
  expect(await waitForVerdict(email)).toBe('error');
  await expect(page.getByText('Welcome')).toBeVisible();
});

test('serves the files of a release, and what a page asks of its captchas', async ({ page }) => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  await page.goto('https://shop.example/sign-up');
  const statuses = await page.evaluate(
    (paths) => Promise.all(paths.map(async (path) => (await fetch(`https://verify.example${path}`)).status)),
    [`/v${version}/widget.js`, '/v2/captcha/turnstile.js', '/v2/integrity.json', '/v2'],
  );
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('has no path that only our own tests need', async ({ page, sandbox }) => {
  const answer = await page.request.get(`${sandbox.origin}/barrier`);
  expect(answer.status()).toBe(404);
});
