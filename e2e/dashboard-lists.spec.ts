/** From a file to a batch in a browser: by drag and drop, by keyboard, without scripts, and with large files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { read } from '@e965/xlsx';
import { type Browser, expect, type Page } from '@playwright/test';
import { workbook } from '../test/service/support/workbook.ts';
import { leaveOutFor } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import {
  type DashboardWorld,
  newOwner,
  openDashboard,
  startDashboardWorld,
} from './pages/dashboard-world.ts';
import { expectNoFaults, expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startDashboardWorld);

const NEW = '/dashboard/batches/new';
const LINES = [
  'Name;Email;Boss',
  'Ada;ada@example.com;boss@example.com',
  'Grace;grace@example.com;',
  'Grace;GRACE@example.com;',
  'Nobody;n/a;',
];
const CSV = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(LINES.join('\r\n')) };

// Five lists of an account can wait at a time, and many tests leave theirs.
test.beforeEach(async ({ page, world }) => {
  await openDashboard(page, world, NEW, await newOwner(world));
});

/** Drops a file on an element, like a person who drags it from a folder. */
async function drop(
  page: Page,
  on: string,
  { name, buffer }: { name: string; buffer: Buffer },
): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name));
      return transfer;
    },
    [name, buffer.toString('base64')] as const,
  );
  await page.dispatchEvent(on, 'dragover', { dataTransfer: transfer });
  await expect(page.locator('.drop.over')).toHaveCount(1);
  await page.dispatchEvent(on, 'drop', { dataTransfer: transfer });
}

const expectReview = (page: Page) =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText('Check the list');
const cost = (page: Page) => page.locator('#cost');

test('reads a list again in the encoding that its owner chooses by three rows', async ({ page }) => {
  const bytes = [...Buffer.from('Name;Email\nXXX;ora@example.com\n')];
  // Ωρα in windows-1253.
  bytes.splice(11, 3, 0xd9, 0xf1, 0xe1);
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'greek.csv', mimeType: 'text/csv', buffer: Buffer.from(bytes) });
  await button(page, 'Upload').click();
  await expectReview(page);
  await expect(page.locator('#preview')).not.toContainText('Ωρα');
  await page.getByText('Letters look wrong?').click();
  const greek = page.getByRole('radio', { name: 'Greek (windows-1253)' });
  await expect(greek).toHaveAccessibleDescription('Ωρα');
  await greek.check();
  await expectNothingCutOff(page);
  await button(page, 'Read the list again').click();
  await expectReview(page);
  await expect(page.locator('#preview')).toContainText('Ωρα');
  await expectNoFaults(page);
});

test('verifies a sample of a list, and keeps what its owner has filled in', async ({ page }) => {
  const lines = Array.from({ length: 120 }, (_, row) => `person${row}@example.com`);
  await page.getByLabel('Addresses').fill(lines.join('\n'));
  await button(page, 'Use these addresses').click();
  await expectReview(page);
  await page.getByLabel('Name of the batch').fill('May');
  await button(page, 'Verify a sample').click();
  // No mail server answers here. test/service/dashboard/lists/forecast*.test.ts has what the section says at the end.
  await expect(page.locator('#forecast')).toContainText('of the 100 addresses of the sample are verified');
  await expect(page.getByLabel('Name of the batch')).toHaveValue('May');
  await expectNoFaults(page);
});

test('shows a preview of a dropped CSV file, and starts it as a test', async ({ page }) => {
  await drop(page, '#upload', CSV);
  await expectReview(page);
  await expect(page.getByRole('checkbox', { name: 'Email' })).toBeChecked();
  // Another test of the same account may have spent some.
  await expect(cost(page)).toContainText(/2 of your [\d,]+ credits\./);
  await expect(page.locator('#figures')).toContainText('“n/a” has no @.');
  // Everything changes with the choice, and the focus stays.
  await page.getByRole('checkbox', { name: 'Boss' }).check();
  await expect(cost(page)).toContainText('3 of your');
  await expect(page.getByRole('checkbox', { name: 'Boss' })).toBeFocused();
  await expect(page.locator('th.chosen')).toHaveText(['Email', 'Boss']);
  await page.getByRole('checkbox', { name: 'Boss' }).uncheck();
  await expect(cost(page)).toContainText('2 of your');
  await page.getByLabel('Leave out what is not an address').uncheck();
  await expect(cost(page)).toContainText('3 of your');
  await page.getByLabel('Titles of the columns').selectOption('None: every row is data');
  await expect(cost(page)).toContainText('4 of your');
  await expect(page.locator('th.chosen')).toHaveText('Column 2');
  await page.getByRole('radio', { name: 'Test' }).check();
  await expect(cost(page)).toContainText('Free.');
  await button(page, 'Start').click();
  await page.waitForURL(/\/dashboard\/batches\/[0-9a-f]{24}$/);
});

test('runs a list, filters its results, and downloads them with its columns', async ({ page }) => {
  await drop(page, '#upload', CSV);
  await expectReview(page);
  await page.getByRole('radio', { name: 'Test' }).check();
  await expect(cost(page)).toContainText('Free.');
  await button(page, 'Start').click();
  await expect(page.getByRole('heading', { name: 'Completed' })).toBeVisible();
  await page.getByLabel('Address contains').fill('GRACE');
  await button(page, 'Show').click();
  await expect(page.locator('table.results tbody tr')).toHaveCount(1);
  const arriving = page.waitForEvent('download');
  await button(page, 'Download 1 address').click();
  const lines = readFileSync(await (await arriving).path(), 'utf8').split('\r\n');
  // Written like the upload: the list's own columns, and both rows of the address.
  expect(lines[0]).toMatch(/^Name;Email;Boss;state;reason;score;/);
  expect(lines.slice(1, 3).map((line) => line.split(';').slice(0, 3))).toEqual([
    ['Grace', 'grace@example.com', ''],
    ['Grace', 'GRACE@example.com', ''],
  ]);
  expect(lines.slice(1, 3).map((line) => line.split(';').at(-1))).toEqual(['false', 'true']);
  expect(lines.slice(3)).toEqual(['']);
});

test('reads a dropped XLSX file, and names its sheet', async ({ page }) => {
  const buffer = await workbook({
    Empty: [],
    Kunden: [
      ['Email', 'Since'],
      ['ada@example.com', { serial: 45292 }],
    ],
  });
  await drop(page, '#upload', { name: 'kunden.xlsx', buffer });
  await expectReview(page);
  await expect(page.getByText('1 row of the sheet Kunden')).toBeVisible();
  await expect(page.locator('#preview')).toContainText('2024-01-01');
});

test('gives a workbook of three sheets back, with the result beside the list', async ({ page }) => {
  const buffer = readFileSync('test/service/lists/files/three-sheets.xlsx');
  await drop(page, '#upload', { name: 'members.xlsx', buffer });
  await expectReview(page);
  const others = page.locator('#other-sheets');
  await expect(others).toContainText('An XLSX download of all rows has them as they are');
  // The sentence follows the choices.
  await page.getByLabel('Titles of the columns').selectOption({ label: 'None: every row is data' });
  await expect(others).toContainText('The downloads have this one only');
  await page.getByLabel('Titles of the columns').selectOption({ index: 2 });
  await expect(others).toContainText('An XLSX download of all rows has them as they are');
  await expectNothingCutOff(page);
  await page.getByRole('radio', { name: 'Test' }).check();
  await expect(cost(page)).toContainText('Free.');
  await button(page, 'Start').click();
  await expect(page.getByRole('heading', { name: 'Completed' })).toBeVisible();
  const arriving = page.waitForEvent('download');
  await button(page, 'Download all').click();
  const [before, after] = [buffer, readFileSync(await (await arriving).path())].map((bytes) =>
    read(bytes, { type: 'buffer', cellFormula: true, cellNF: true }),
  );
  expect(after!.SheetNames).toEqual(['Summary', 'List', 'Archive']);
  expect([after!.Sheets.Summary, after!.Sheets.Archive]).toEqual([
    before!.Sheets.Summary,
    before!.Sheets.Archive,
  ]);
  // Each own cell is as it was, in its place.
  const own = Object.entries(before!.Sheets.List!).filter(([place]) => /^[A-D]\d+$/.test(place));
  expect(Object.fromEntries(own.map(([place]) => [place, after!.Sheets.List![place]]))).toEqual(
    Object.fromEntries(own),
  );
  expect(['E3', 'E6', 'F6'].map((place) => after!.Sheets.List![place].v)).toEqual([
    'state',
    'not verified',
    'has no @',
  ]);
  await expectNoFaults(page);
});

test('reports a file that is not a list on the page, and reads a later one', async ({ page, world }) => {
  await drop(page, '#upload', { name: 'a.pdf', buffer: Buffer.from('%PDF-1.7') });
  await expect(page.getByRole('alert')).toContainText('got a PDF');
  await expect(page.locator('#file')).toBeFocused();
  expect(page.url()).toBe(`${world.origin}${NEW}`);
  await page.locator('#file').setInputFiles(CSV);
  await button(page, 'Upload').click();
  await expectReview(page);
});

test('shows the progress of an upload, and cancels it', async ({ page }) => {
  // The request does not end before the test.
  await page.route('**/dashboard/lists', () => {});
  await page.locator('#file').setInputFiles(CSV);
  await button(page, 'Upload').click();
  await expect(page.getByRole('progressbar', { name: /customers\.csv/ })).toBeVisible();
  await expect(button(page, 'Cancel upload')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('The upload was cancelled. The list was not stored.');
  await expect(button(page, 'Upload')).toBeFocused();
  await page.unroute('**/dashboard/lists');
  await button(page, 'Upload').click();
  await expectReview(page);
});

test('reports an upload that breaks off', async ({ page }) => {
  await page.route('**/dashboard/lists', (route) => route.abort());
  await page.locator('#file').setInputFiles(CSV);
  await button(page, 'Upload').click();
  await expect(page.getByRole('alert')).toHaveText(
    'The connection was lost during the upload, so the list was not stored. Try again.',
  );
});

test('works by keyboard from the file to the batch', async ({ page }) => {
  await tabTo(page, page.locator('#pasted'));
  await page.keyboard.insertText('Ada <ada@example.com>, grace@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectReview(page);
  await tabTo(page, page.locator('#mode-live'));
  await page.keyboard.press('ArrowDown');
  await expect(cost(page)).toContainText('Free.');
  await tabTo(page, page.locator('button[value=start]'));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/batches\/[0-9a-f]{24}$/);
});

/** A page without scripts. */
async function withoutScripts(browser: Browser, run: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    leaveOutFor('a page without scripts', page);
    await run(page);
  } finally {
    await context.close();
  }
}

test('works without scripts from the file to the batch', async ({ browser, world }) => {
  await withoutScripts(browser, async (page) => {
    await openDashboard(page, world, NEW);
    await page.locator('#file').setInputFiles(CSV);
    await button(page, 'Upload').click();
    await expectReview(page);
    await page.getByRole('checkbox', { name: 'Boss' }).check();
    await button(page, 'Update the figures').click();
    await expect(cost(page)).toContainText('3 of your');
    await page.getByRole('radio', { name: 'Test' }).check();
    await button(page, 'Start').click();
    await page.waitForURL(/\/dashboard\/batches\/[0-9a-f]{24}\?/);
  });
});

test('reads 50,000 rows of 20 columns without blocking the page or the service', async ({ page, world }) => {
  const titles = Array.from({ length: 20 }, (_, column) => (column === 2 ? 'Email' : `Column ${column}`));
  const lines = [
    titles,
    ...Array.from({ length: 50_000 }, (_, row) =>
      titles.map((title, column) => (column === 2 ? `u${row}@example.com` : title)),
    ),
  ];
  const file = test.info().outputPath('large.csv');
  writeFileSync(file, lines.map((cells) => cells.join(',')).join('\n'));
  await openDashboard(page, world, NEW);
  await page.locator('#file').setInputFiles(file);
  // How often the page and the service do something else meanwhile.
  await page.evaluate(() => {
    let turns = 0;
    const beat = setInterval(() => sessionStorage.setItem('turns', String(++turns)), 10);
    // After the upload, the page waits for the next one.
    addEventListener('beforeunload', () => clearInterval(beat));
  });
  let isDone = false;
  let answers = 0;
  const asking = (async () => {
    for (; !isDone; answers++) expect((await fetch(`${world.origin}/healthz`)).status).toBe(200);
  })();
  const answer = page.waitForResponse(/\/dashboard\/lists$/, { timeout: 120_000 });
  await button(page, 'Upload').click();
  await answer;
  await page.waitForURL(/\/dashboard\/lists\/[0-9a-f]{24}$/, { timeout: 120_000 });
  expect(Number(await page.evaluate(() => sessionStorage.getItem('turns')))).toBeGreaterThan(10);
  isDone = true;
  await asking;
  expect(answers).toBeGreaterThan(10);
  // Live stays chosen with too few credits.
  await expect(cost(page)).toContainText('50,000 of your');
  await expect(cost(page)).toContainText(/49,\d{3} credits are missing\./);
  await button(page, 'Start').click({ timeout: 120_000 });
  await expect(page.getByRole('alert')).toContainText('The batch was not started, and the list is kept.');
});

test.describe('makes every page accessible', () => {
  const STATES: Record<string, (page: Page, world: DashboardWorld) => Promise<unknown>> = {
    'new batch': (page, world) => openDashboard(page, world, NEW),
    'file that is not a list': async (page) => {
      await page.getByLabel('Addresses').fill('none');
      await button(page, 'Use these addresses').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    review: async (page) => {
      await page.locator('#file').setInputFiles({
        ...CSV,
        name: `${'a-very-long-name-without-any-break-in-it'.repeat(3)}.csv`,
        buffer: Buffer.concat([
          Buffer.from(`${'Title'.repeat(30)},x,`),
          CSV.buffer,
          Buffer.from(`\n${'ä'.repeat(300)};`),
        ]),
      });
      await button(page, 'Upload').click();
      await expectReview(page);
    },
    'review that was refused': async (page) => {
      await page.getByLabel('Callback URL').fill('https://127.0.0.1/');
      await button(page, 'Start').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    'lists that wait': (page, world) => page.goto(`${world.origin}${NEW}`),
  };
  test('passes axe, and cuts nothing off at 320 px or from right to left', async ({ page, world }) => {
    await eachRow(STATES, async (bring) => {
      await page.setViewportSize({ width: 1_000, height: 900 });
      await bring(page, world);
      await expectNoFaults(page);
      await expectNothingCutOff(page);
    });
  });
});
