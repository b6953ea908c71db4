/** The demo as `npm start` serves it, used by a visitor. */
import type { Locator } from '@playwright/test';
import { DEFAULTS } from '../src/widget/options.ts';
import { eachRow } from './fixtures.ts';
import { expect, test } from './pages/demo-page.ts';

const { messages } = DEFAULTS;
const NO_MESSAGE = '';

type State = 'accepted' | 'rejected' | 'error';

/** Every test address of the interface's section 5.7, and its outcome in the playground without options. */
const TEST_ADDRESSES: Record<string, [state: State, message: string, told: object]> = {
  deliverable: ['accepted', NO_MESSAGE, { state: 'deliverable' }],
  undeliverable: ['rejected', messages.invalid, { state: 'undeliverable' }],
  risky: ['accepted', NO_MESSAGE, { state: 'risky' }],
  unknown: ['accepted', NO_MESSAGE, { state: 'unknown' }],
  role: ['accepted', NO_MESSAGE, { role: true }],
  free: ['accepted', NO_MESSAGE, { free: true }],
  'accept-all': ['accepted', NO_MESSAGE, { accept_all: true }],
  disposable: ['rejected', messages.disposable, { disposable: true }],
  slow: ['error', NO_MESSAGE, {}],
};

test('decides every test address as the page announces', async ({ demo, page }) => {
  await page.clock.install();
  await eachRow(TEST_ADDRESSES, async ([state, message, told], local) => {
    const address = `${local}@example.com`;
    await page.goto(`${demo.origin}/playground/`);
    const form = page.frameLocator('iframe');
    const email = form.getByLabel('Email address');
    // However slowly the keys come, the address is verified only when all of it is there.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await email.pressSequentially(address);
    await expect(email).toHaveAttribute('data-email-verify', 'waiting');
    await page.clock.runFor(1_000);
    // The page's time must not run ahead here: the widget waits only a few seconds of it for the real service.
    await page.clock.resume();
    await expect(email).toHaveAttribute('data-email-verify', state);

    const status = form.locator('.email-verify-status');
    await expect(status).toHaveText(message);
    if (message) await expect(status.getByText(message)).toBeVisible();

    const log = page.getByRole('list', { name: /^Events/ }).locator('> li');
    await expect(log).toHaveCount(2);
    await expectEntry(log.last(), 'verifying', 'verifying', { email: JSON.stringify(address) });
    if (state === 'error') {
      await expectEntry(log.first(), 'error', 'error', {
        status: '249',
        message: expect.stringMatching(/\w/),
      });
    } else {
      const members = await expectEntry(log.first(), 'verified', state, {
        accepted: String(state === 'accepted'),
        message: JSON.stringify(message),
        'verificationData.status': '200',
      });
      const [, json = ''] =
        /^JSON text, \d+ characters(.*)$/s.exec(members['verificationData.body'] ?? '') ?? [];
      expect(JSON.parse(json)).toMatchObject({ email: address, ...told });
    }

    const announced = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: address, exact: true }) });
    await expect(announced.locator('.outcome')).toHaveClass(`outcome ${state}`);
  });
});

/** Opens an entry of the demo's log of events. @returns the members of the event's detail, as text */
async function expectEntry(
  entry: Locator,
  type: string,
  tone: string,
  expected: Record<string, unknown>,
): Promise<Record<string, string>> {
  await expect(entry.locator('.event-type')).toHaveText(type);
  await expect(entry.locator('.event-type')).toHaveClass(`event-type ${tone}`);
  const members = await entry
    .locator('dl > div')
    .evaluateAll((rows) =>
      Object.fromEntries(
        rows.map((row) => [
          row.querySelector('dt')?.textContent ?? '',
          row.querySelector('dd')?.textContent ?? '',
        ]),
      ),
    );
  expect(members).toMatchObject(expected);
  return members;
}
