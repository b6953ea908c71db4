/**
 * Takes the pictures of the README, in light and in dark, and those of the dashboard's documentation, from the demo:
 * `npm run pictures`. `npm run pictures -- dashboard` takes the second ones only. They differ from machine to machine by
 * its fonts; what is in them is what the widget and the dashboard do.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { loadTool } from '../.ci/tools/tools.mjs';
import { browserArguments, findEngines } from '../e2e/engines/engines.mjs';
import { takeDashboard } from './dashboard-pictures.mjs';
import { takeTyping } from './typing-picture.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const sharp = loadTool('sharp');

const SERVICE = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));
const FOLDER = new URL('pictures/', import.meta.url);
/** Of all still pictures together: whoever opens the README loads half. */
const STILL_BUDGET = 150_000;
/** Of each moving picture. */
const MOVING_BUDGET = 300_000;
/** Of the pictures of the dashboard. */
const DASHBOARD_BUDGET = 200_000;
const MARGIN_PX = 12;
/** All alike, for they stand in a row. */
const HEIGHT_PX = 121;

/** By file name: the frame's title in the gallery, and the field in it. */
const PICTURES = {
  suggestion: ['Suggestion', 'suggestion-accepted-floating'],
  rejected: ['Rejected', 'rejected-disposable-flowing'],
  hint: ['Accepted', 'hint-role-floating'],
};

const only = process.argv[2];
const { service, ...demo } = await startDemo();
const { origin } = demo;
const browser = await chromium.launch({
  executablePath: findEngines().chromium?.path,
  args: browserArguments(),
});
let weight = 0;
try {
  mkdirSync(FOLDER, { recursive: true });
  if (only !== 'dashboard') {
    for (const colorScheme of ['light', 'dark']) {
      await takeStates(colorScheme);
      await takeMoving(colorScheme);
    }
    expectWithin(weight, STILL_BUDGET, 'the still pictures');
  }
  weight = 0;
  for (const [name, png] of Object.entries(await takeDashboard(browser, demo))) await writeStill(name, png);
  expectWithin(weight, DASHBOARD_BUDGET, 'the pictures of the dashboard');
} finally {
  await browser.close();
  service.kill();
}

async function takeStates(colorScheme) {
  const page = await browser.newPage({
    colorScheme,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    viewport: { width: 1200, height: 4600 },
  });
  await page.goto(`${origin}gallery/`);
  await page.locator('.view > summary').click();
  await page.getByLabel('320 px').check();
  await page.keyboard.press('Escape');
  // A frame that grows later would move those below it.
  for (const frame of await page.locator('iframe').all()) {
    await frame.contentFrame().locator('.specimen').last().waitFor();
  }
  for (const [name, field] of Object.entries(PICTURES)) {
    await writeStill(`${name}-${colorScheme}.png`, await take(page, ...field));
  }
  await page.close();
}

async function takeMoving(colorScheme) {
  const page = await browser.newPage({
    colorScheme,
    deviceScaleFactor: 2,
    viewport: { width: 400, height: 800 },
  });
  const { frames, delays, still } = await takeTyping(page, origin);
  await page.close();
  await writeStill(`typing-still-${colorScheme}.png`, still);
  const moving = await sharp(frames, { join: { animated: true } })
    .webp({ lossless: true, effort: 6, minSize: true, delay: delays, loop: 0 })
    .toBuffer();
  write(`typing-${colorScheme}.webp`, moving);
  const seconds = delays.reduce((sum, delay) => sum + delay, 0) / 1000;
  console.error(`  ${frames.length} frames, ${seconds} s`);
  expectWithin(moving.length, MOVING_BUDGET, `typing-${colorScheme}.webp`);
}

async function writeStill(name, png) {
  // Pictures of pages have few colours, of which a pixel can name one by its number.
  const picture = await sharp(png).png({ palette: true, effort: 10 }).toBuffer();
  write(name, picture);
  weight += picture.length;
}

function write(name, picture) {
  writeFileSync(new URL(name, FOLDER), picture);
  console.error(`docs/pictures/${name}: ${picture.length} B`);
}

function expectWithin(bytes, budget, what) {
  if (bytes <= budget) return;
  console.error(`Expected ${budget} B at most for ${what}, got ${bytes} B.`);
  process.exitCode = 1;
}

/** One field with its label and its status, once it has something to say. */
async function take(page, title, id) {
  const frame = page.frameLocator(`iframe[title="${title}"]`);
  const field = frame.locator(`.field:has(#${id})`);
  await field
    .locator('.state')
    .filter({ hasText: /accepted|rejected/ })
    .waitFor();
  const { x, y, width } = await field.boundingBox();
  return page.screenshot({
    clip: { x: x - MARGIN_PX, y: y - MARGIN_PX, width: width + 2 * MARGIN_PX, height: HEIGHT_PX },
  });
}

async function startDemo() {
  const child = spawn(process.execPath, [SERVICE, '--demo', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let origin;
  for await (const line of createInterface({ input: child.stdout })) {
    origin ??= /^ +Demo +(http:\/\/\S+)$/.exec(line)?.[1];
    const account = /^ +Account +([^ ,]+), password (\S+)/.exec(line);
    if (!origin || !account) continue;
    child.stdout.resume();
    return { service: child, origin, email: account[1], password: account[2] };
  }
  throw new Error('Expected the demo to say where it listens, got none. Run `npm run build` first.');
}
