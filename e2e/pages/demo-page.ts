/** The demo as `npm start` serves it, and checks that hold for all of its pages. */
import { test as base, expect, type Frame, type Page } from '@playwright/test';
import axe from 'axe-core';
import { engineOf } from '../engines/differences.ts';
import { runningDemo } from './running-demo.ts';
import type { RunningService } from './service-process.ts';

export const test = base.extend<{ demo: RunningService }, { runningDemo: RunningService }>({
  runningDemo,
  demo: async ({ page, runningDemo }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
    // The service sends its pages with a strict policy.
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) errors.push(message.text());
    });
    await use(runningDemo);
    expect(errors, 'exceptions that nothing caught, and what the policy forbids').toEqual([]);
  },
});

/** The background colour of every page. */
const PAPER = { light: 'rgb(247, 247, 248)', dark: 'rgb(20, 21, 23)' };

/** Lets the page's time pass only when a test moves it. Call it before the page is opened. */
export async function stopClock(page: Page): Promise<void> {
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 1_000);
}

/** Chooses in the View disclosure of an open page, which is closed before and after. */
export async function setView(page: Page, label: string, value: string | boolean): Promise<void> {
  const view = page.locator('details.view');
  await view.locator('summary').click();
  if (typeof value === 'string') await view.getByRole('combobox', { name: label }).selectOption(value);
  else await view.getByRole('checkbox', { name: label }).setChecked(value);
  await page.keyboard.press('Escape');
  await expect(view).not.toHaveAttribute('open');
}

/** Shows an open page in light or dark: by the system setting or, if a test cannot set that, by the View disclosure. */
export async function showIn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  if (engineOf(page) === 'firefox') await setView(page, 'Colours', scheme);
  else await page.emulateMedia({ colorScheme: scheme });
  await expect(page.locator(':root').first()).toHaveCSS('background-color', PAPER[scheme]);
}

/** The faults that axe finds in a page and its frames, or in some of these. */
export async function faultsOf(page: Page, frames = page.frames()): Promise<string[]> {
  const faults: string[] = [];
  // Firefox writes `all: initial !important` out as single properties. To axe, these forbid visitors a wider spacing.
  const rules = { 'avoid-inline-spacing': { enabled: engineOf(page) !== 'firefox' } };
  for (const frame of frames) {
    await frame.evaluate(untilNothingFades);
    await frame.evaluate(axe.source);
    // Checks the frames one by one, because axe reaches frames only by messages, which take seconds.
    // On a long page, the details of passed checks take a megabyte, and no test needs them.
    const options: axe.RunOptions = { iframes: false, rules, resultTypes: ['violations'] };
    const { violations, passes } = await frame.evaluate(
      (options) => Reflect.get(window, 'axe').run(options) as Promise<axe.AxeResults>,
      options,
    );
    expect(passes.length).toBeGreaterThan(10);
    for (const { id, nodes } of violations) {
      faults.push(...nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
    }
  }
  return faults;
}

/** Runs inside a page or a frame. In the middle of a fade, a text has less contrast than axe expects. */
async function untilNothingFades(): Promise<void> {
  const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  const ending = [document, ...roots]
    .flatMap((root) => root.getAnimations())
    .filter(
      ({ playState, effect }) =>
        playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
    );
  // An animation whose element goes away is rejected.
  await Promise.allSettled(ending.map(({ finished }) => finished));
}

/** The number of pixels by which a page, or a frame in it, scrolls sideways. */
export async function overflowOf(page: Page): Promise<number> {
  const overflow = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;
  const all = page.frames().map((frame) => frame.locator(':root').evaluate(overflow));
  return Math.max(...(await Promise.all(all)));
}

/** Expects no faults of axe and no sideways scrolling, in light and dark; with large text, also no sideways scrolling. */
export async function expectNobodyLeftOut(page: Page): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    // A status may begin to fade in while axe looks.
    await expect.poll(() => faultsOf(page), { message: scheme }).toEqual([]);
    expect(await overflowOf(page), scheme).toBe(0);
  }
  await setView(page, 'Large text', true);
  await expect.poll(() => overflowOf(page), { message: 'in large type' }).toBe(0);
}

/** Runs inside a page or a frame. Finds each status that covers what it should not, or is outside the window. */
function collisions(): string[] {
  const rectOf = (element: Element) => element.getBoundingClientRect();
  const meet = (one: DOMRect, other: DOMRect) =>
    one.left < other.right - 1 &&
    other.left < one.right - 1 &&
    one.top < other.bottom - 1 &&
    other.top < one.bottom - 1;
  // Two lines fit between two ordinary fields. A longer message covers as little as possible.
  const most = 2.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const said = [...document.querySelectorAll('.email-verify-floating')]
    .flatMap((host) => [...host.shadowRoot!.querySelectorAll('[part=status]')])
    .filter((box) => rectOf(box).height <= most);
  const others = [
    ...document.querySelectorAll(
      'input, label, button, h1, h2, .note, .state, .flowing .email-verify-status',
    ),
  ];
  return said.flatMap((box, at) => {
    const rect = rectOf(box);
    const covered = [...said.slice(at + 1), ...others].filter((other) => meet(rect, rectOf(other)));
    const isOut = rect.left < 0 || rect.right > document.documentElement.clientWidth;
    return [...covered.map((other) => `${box.textContent} / ${other.outerHTML}`), ...(isOut ? ['out'] : [])];
  });
}

/** Expects that no status covers another field or its own label, in a page and its frames. */
export async function expectNoCollision(page: Page, context = ''): Promise<void> {
  await expect
    .poll(async () => (await Promise.all(page.frames().map((frame) => frame.evaluate(collisions)))).flat(), {
      message: context,
    })
    .toEqual([]);
}

/** The bytes that a page and its frames have loaded so far. */
export async function weightOf(page: Page): Promise<number> {
  // The page around a frame counts the frame's document.
  const weigh = (types: string[]) =>
    types
      .flatMap((type) => performance.getEntriesByType(type) as PerformanceResourceTiming[])
      .reduce((sum, { transferSize }) => sum + transferSize, 0);
  const weights = page
    .frames()
    .map((frame) =>
      frame.evaluate(weigh, frame === page.mainFrame() ? ['navigation', 'resource'] : ['resource']),
    );
  return (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0);
}

/** The frame with that title. */
export async function frameOf(page: Page, title: string): Promise<Frame> {
  const handle = await page.locator(`iframe[title="${title}"]`).elementHandle();
  return (await handle!.contentFrame())!;
}

export { expect };
