/** The pictures of the dashboard's documentation: a list before its start, and what comes of it. */

const WIDTH_PX = 900;
const MARGIN_PX = 16;

/** A list as a German Excel writes it, with what lists have: duplicates, a blank, a mistyped address and no address. */
const LINES = [
  'Anrede;Name;E-Mail;Ort',
  'Frau;Ada Jäger;ada.jaeger@example.com;Köln',
  'Herr;Björn Groß;bjoern@example.org;München',
  'Frau;Chloé Weiß;chloe.weiss@gmial.com;Zürich',
  'Firma;Döring & Söhne;info@example.net;Graz',
  'Herr;Björn Groß;BJOERN@example.org;München',
  'Frau;Emma Lüders;;Bonn',
  'Herr;Fritz Möller;fritz at example.com;Ulm',
  ...Array.from({ length: 40 }, (_, row) => `Firma;Kunde ${row + 1};kunde${row + 1}@example.com;Wien`),
];

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {{ origin: string, email: string, password: string }} demo
 * @returns {Promise<Record<string, Buffer>>} the pictures by their names
 */
export async function takeDashboard(browser, { origin, email, password }) {
  const page = await browser.newPage({
    ...{ colorScheme: 'light', deviceScaleFactor: 1.5, reducedMotion: 'reduce' },
    viewport: { width: WIDTH_PX, height: 3000 },
  });
  await page.goto(`${origin}dashboard/batches/new`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const buffer = Buffer.from(`\ufeff${LINES.join('\r\n')}\r\n`);
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'Kunden.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.getByRole('heading', { name: 'Check the list' }).waitFor();
  const list = await take(page, 'h1', '#figures');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { name: 'Completed' }).waitFor();
  // Without the sentence that the batch has started.
  await page.goto(page.url().replace(/\?.*/, ''));
  const results = await take(page, 'h1', '#next-other');
  await page.close();
  return { 'dashboard-list.png': list, 'dashboard-results.png': results };
}

/** The page from one element to another, as wide as its content. */
async function take(page, from, to) {
  const main = await page.locator('main').boundingBox();
  const first = await page.locator(from).first().boundingBox();
  const last = await page.locator(to).boundingBox();
  const y = first.y - MARGIN_PX;
  const clip = { x: first.x - MARGIN_PX, y, height: last.y + last.height + 2 * MARGIN_PX - y };
  const right = Math.min(WIDTH_PX, main.x + main.width + MARGIN_PX);
  return page.screenshot({ clip: { ...clip, width: right - clip.x } });
}
