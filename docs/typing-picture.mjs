/**
 * The frames of the README's moving picture: the form of the demo's first page, from the first character to the
 * corrected address. The page's clock is driven, so that each frame has the duration that a visitor sees, however long
 * a screenshot takes.
 */

/** Fine enough for the rhythm of typing. */
const STEP_MS = 10;
/** A state that takes longer than this will not come. */
const PATIENCE_MS = 10_000;
const FRAMES_MS = 100;
/** How long the visitor looks at the suggestion, and at the result. */
const LOOKS_MS = 900;
const RESTS_MS = 1_900;
const POINTER = { frames: 8, frameMs: 45, pressMs: 160, from: { x: 90, y: 85 } };
const MARGIN_PX = 10;

/**
 * @param {import('@playwright/test').Page} page
 * @param {string} origin of the demo
 * @returns {Promise<{ frames: Buffer[], delays: number[], still: Buffer }>} screenshots with their milliseconds, and the one that says most
 */
export async function takeTyping(page, origin) {
  const start = Date.now();
  await page.clock.install({ time: start });
  await page.clock.pauseAt(start + 1_000);
  await page.goto(origin);
  const input = page.getByLabel('Email address');
  const suggestion = page.locator('.email-verify-status').getByRole('button');
  await input.waitFor();

  const frames = [];
  const delays = [];
  const clip = await clipOf(page);
  const take = async (milliseconds) => {
    frames.push(await page.screenshot({ clip, animations: 'disabled', caret: 'hide' }));
    delays.push(milliseconds);
    return frames.at(-1);
  };
  const whatIsSeen = async () => ({
    text: await input.inputValue(),
    isSuggested: (await suggestion.count()) > 0,
  });
  /** Lets the time go by. @returns for how long */
  const waitFor = async (isThere) => {
    for (let passed = 0; passed <= PATIENCE_MS; passed += STEP_MS) {
      if (await isThere()) return passed;
      await page.clock.runFor(STEP_MS);
    }
    throw new Error(`Expected the next state within ${PATIENCE_MS} ms, got none.`);
  };

  let seen = await whatIsSeen();
  while (!seen.isSuggested) {
    await take(0);
    const { text } = seen;
    delays[delays.length - 1] = await waitFor(async () => {
      seen = await whatIsSeen();
      return seen.isSuggested || seen.text !== text;
    });
  }
  // The status finds its place in the next frames.
  await page.clock.runFor(FRAMES_MS);
  const still = await take(LOOKS_MS);

  const { x, y, width, height } = await suggestion.boundingBox();
  const target = { x: x + width * 0.6, y: y + height * 0.6 };
  await page.evaluate(addPointer);
  for (let frame = 1; frame <= POINTER.frames; frame += 1) {
    // It slows down as a hand does.
    const left = (1 - frame / POINTER.frames) ** 2;
    const at = { x: target.x + POINTER.from.x * left, y: target.y + POINTER.from.y * left };
    await page.mouse.move(at.x, at.y);
    await page.evaluate(movePointer, at);
    await take(POINTER.frameMs);
  }
  await page.mouse.down();
  await take(POINTER.pressMs);
  await page.mouse.up();
  await waitFor(async () => (await input.getAttribute('data-email-verify')) === 'accepted');
  await page.clock.runFor(FRAMES_MS);
  await take(RESTS_MS);
  return { frames, delays, still };
}

/** The form, without the buttons below it. */
async function clipOf(page) {
  const { x, y, width, height } = await page.locator('#sign-up').boundingBox();
  return {
    x: x - MARGIN_PX,
    y: y - MARGIN_PX,
    width: width + 2 * MARGIN_PX,
    height: height + 2 * MARGIN_PX,
  };
}

/** Runs inside the page. A screenshot does not show the system's pointer. */
function addPointer() {
  const SVG = 'http://www.w3.org/2000/svg';
  const pointer = document.createElementNS(SVG, 'svg');
  pointer.id = 'pointer';
  pointer.setAttribute('viewBox', '0 0 12 18');
  const style = 'position:fixed;z-index:2147483647;inline-size:15px;pointer-events:none';
  pointer.style.cssText = style;
  const arrow = document.createElementNS(SVG, 'path');
  arrow.setAttribute('d', 'M1 1v13l3.2-2.8 2.2 5 2.4-1-2.2-5H11z');
  arrow.style.cssText = 'fill:#111;stroke:#fff;stroke-width:1.2';
  pointer.append(arrow);
  document.body.append(pointer);
}

/** Runs inside the page. */
function movePointer({ x, y }) {
  const { style } = document.querySelector('#pointer');
  style.left = `${x}px`;
  style.top = `${y}px`;
}
