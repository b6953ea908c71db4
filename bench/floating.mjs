/**
 * Measures the cost of a visible floating status per frame: the main thread's processor time, with and without a status.
 * Both pages take turns, so that other work of this machine affects both equally.
 *
 *   npm run build && node bench/floating.mjs [rounds] [frames per round]
 */
import { readFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { browserArguments, findEngines } from '../e2e/engines/engines.mjs';

const [rounds = 9, frames = 60] = process.argv.slice(2).map(Number);
const WIDGET = readFileSync(new URL('../dist/widget-standalone.js', import.meta.url), 'utf8');
const ADDRESS = 'no@example.com';

/** The page's own work in every frame. */
const PAGES = {
  'a page at rest': '',
  'a page that scrolls': 'scrollTo(0, count % 40);',
  'an input that moves': `form.style.transform = 'translateX(' + (count % 40) + 'px)';`,
  'a page of 2,000 elements, laid out anew': `above.style.height = (count % 40) + 'px';`,
};

const html = `<!doctype html><title>Floating</title>
  <script src="/v2/" data-api-key="test_public_bench" data-verify-after-delay="0"></script>
  <div id="above"></div><form id="form"><label for="email">Email</label> <input id="email" type="email"></form>
  ${'<p><span>Text</span></p>'.repeat(1_000)}`;

const browser = await chromium.launch({
  executablePath: findEngines().chromium?.path,
  args: browserArguments(),
});
const shown = await open(true);
const none = await open(false);

console.log(
  `Main thread, microseconds per frame: median (middle half) of ${rounds} rounds of ${frames} frames\n`,
);
const rows = [['', 'none shown', 'one shown', 'more', 'of it script', 'style', 'layout']];
for (const [name, work] of Object.entries(PAGES)) {
  const taken = { none: [], shown: [] };
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const pair = { none: await measure(none, work), shown: await measure(shown, work) };
    if (round === 0) continue;
    taken.none.push(pair.none);
    taken.shown.push(pair.shown);
  }
  const more = (part) => taken.shown.map((cost, round) => cost[part] - taken.none[round][part]);
  rows.push([
    name,
    spread(taken.none.map(({ TaskDuration }) => TaskDuration)),
    spread(taken.shown.map(({ TaskDuration }) => TaskDuration)),
    spread(more('TaskDuration')),
    spread(more('ScriptDuration')),
    spread(more('RecalcStyleDuration')),
    spread(more('LayoutDuration')),
  ]);
}
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
await browser.close();

/** A page in a separate window, with a rejected address in its input or without one. */
async function open(withStatus) {
  const page = await (await browser.newContext()).newPage();
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/v2/') return route.fulfill({ contentType: 'text/javascript', body: WIDGET });
    if (pathname === '/v1/verify')
      return route.fulfill({ json: { state: 'undeliverable', reason: 'rejected_email', email: ADDRESS } });
    return route.fulfill({ contentType: 'text/html', body: html });
  });
  await page.goto('http://bench.test/');
  await page.fill('#email', withStatus ? ADDRESS : '');
  if (withStatus) await page.locator('.email-verify-status').getByText(/\w/).first().waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { page, cdp };
}

/** Runs so many frames with the page's own work. @returns microseconds per frame, for each metric */
async function measure({ page, cdp }, work) {
  await page.bringToFront();
  const before = await metrics(cdp);
  await page.evaluate(
    ([source, total]) =>
      new Promise((done) => {
        const step = new Function('count', source);
        let count = 0;
        requestAnimationFrame(function next() {
          count += 1;
          step(count);
          if (count < total) requestAnimationFrame(next);
          else done();
        });
      }),
    [work, frames],
  );
  const after = await metrics(cdp);
  return Object.fromEntries(
    Object.keys(after).map((name) => [name, ((after[name] - before[name]) * 1e6) / frames]),
  );
}

async function metrics(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(
    metrics.filter(({ name }) => /Duration$/.test(name)).map(({ name, value }) => [name, value]),
  );
}

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.floor((sorted.length - 1) * share)]);
  return `${at(0.5)} (${at(0.25)}–${at(0.75)})`;
}
