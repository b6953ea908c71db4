/**
 * Takes the README's pictures from the demo's gallery, in light and in dark: `npm run pictures`. They differ from
 * machine to machine by its fonts; what is in them is what the widget does.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { browserArguments, findEngines } from '../e2e/engines/engines.mjs';
import { asPalette } from './palette.mjs';

const SERVICE = fileURLToPath(new URL('../dist/service/main.js', import.meta.url));
const FOLDER = new URL('pictures/', import.meta.url);
/** Of all of them together: whoever opens the README loads half. */
const BUDGET = 150_000;
const MARGIN_PX = 12;
/** All alike, for they stand in a row. */
const HEIGHT_PX = 121;

/** By file name: the frame's title, and the field in it. */
const PICTURES = {
  suggestion: ['Accepted', 'suggestion-accepted-floating'],
  rejected: ['Rejected', 'rejected-disposable-flowing'],
  hint: ['Accepted', 'hint-role-floating'],
};

const { service, origin } = await startDemo();
const browser = await chromium.launch({
  executablePath: findEngines().chromium?.path,
  args: browserArguments(),
});
let weight = 0;
try {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({
      colorScheme,
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
      viewport: { width: 1200, height: 3000 },
    });
    await page.goto(origin);
    await page.locator('.view > summary').click();
    await page.getByLabel('320 px').check();
    await page.keyboard.press('Escape');
    for (const [name, field] of Object.entries(PICTURES)) {
      const picture = asPalette(await take(page, ...field));
      writeFileSync(new URL(`${name}-${colorScheme}.png`, FOLDER), picture);
      weight += picture.length;
      console.error(`docs/pictures/${name}-${colorScheme}.png: ${picture.length} B`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  service.kill();
}
if (weight > BUDGET) {
  console.error(`The pictures are ${weight - BUDGET} B over their budget of ${BUDGET} B.`);
  process.exit(1);
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
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = /^ +Demo +(http:\/\/\S+)$/.exec(line)?.[1];
    if (!origin) continue;
    child.stdout.resume();
    return { service: child, origin };
  }
  throw new Error('Expected the demo to say where it listens, got none. Run `npm run build` first.');
}
