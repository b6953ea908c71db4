/** The cost of many inputs at once, and the memory after many inputs one after another. */

import type { CDPSession, Page } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { expect, PATIENT, test } from './fixtures.ts';

const MANY = 100;
/** A place for each status is found by a few layouts. The page would do several hundred if each status moved the others. */
const LAYOUTS_FOR_EACH = 5;
const ROUNDS = 100;
const FORMS_PER_ROUND = 100;
/** The first rounds allocate things that are made only once. */
const WARM_UP_ROUNDS = 10;

test(`verifies ${MANY} inputs that change at once with a few layouts for each`, async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  const inputs = Array.from(
    { length: MANY },
    (_, index) => `<form><input type="email" name="input-${index}"></form>`,
  );
  await widgetPage.open(inputs.join(''), PATIENT);
  leaveOutFor('protocol of Chromium', page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const before = await metric(cdp, 'LayoutCount');
  await page.evaluate(() => {
    for (const input of document.querySelectorAll('input')) {
      input.value = `${input.name}@example.com`;
      input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }
  });
  await widgetPage.pass(1_000);
  await expect(page.locator('input[data-email-verify=accepted]')).toHaveCount(MANY);
  const layouts = (await metric(cdp, 'LayoutCount')) - before;

  const addresses = Array.from({ length: MANY }, (_, index) => `input-${index}@example.com`).sort();
  expect([...service.asked].sort()).toEqual(addresses);
  expect(await widgetPage.events('verified')).toHaveLength(MANY);
  await expect(page.locator('.email-verify-status')).toHaveCount(MANY);
  expect(layouts, 'layouts of the page').toBeLessThan(MANY * LAYOUTS_FOR_EACH);
});

test(`keeps nothing of ${ROUNDS * FORMS_PER_ROUND} used and removed inputs`, async ({ page, widgetPage }) => {
  test.slow();
  await widgetPage.open('<div id="root"><input id="email" type="email"><input></div>');
  await widgetPage.enterAccepted('joe@example.com');
  leaveOutFor('protocol of Chromium', page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');

  const kept: Kept[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    await page.evaluate(useAndRemove, FORMS_PER_ROUND);
    // The widget notices removed inputs at its next check.
    await widgetPage.pass(500);
    if (round === WARM_UP_ROUNDS || round === ROUNDS) kept.push(await whatIsKept(cdp, page));
  }

  const [warm, end] = kept as [Kept, Kept];
  expect(end.statuses, 'that of the input which is still there').toBe(1);
  expect(end.nodes, 'nodes').toBeLessThanOrEqual(warm.nodes + 20);
  expect(end.listeners, 'listeners').toBeLessThanOrEqual(warm.listeners + 5);
  // If 9,000 forms, inputs and statuses were kept, they would take some 30 MB.
  expect(end.heapBytes - warm.heapBytes, 'growth of the heap in bytes').toBeLessThan(1_000_000);
  expect(widgetPage.service.asked).toEqual(['joe@example.com']);
});

/** Runs inside the page, which shows one form after another. */
function useAndRemove(count: number): void {
  const root = document.getElementById('root')!;
  for (let index = 0; index < count; index++) {
    const form = document.createElement('form');
    form.noValidate = true;
    form.onsubmit = () => false;
    const input = document.createElement('input');
    input.type = 'email';
    form.append(input);
    root.append(form);
    // A message needs layout, which takes as long as twenty inputs without one.
    const isShown = index % 20 === 0;
    input.value = isShown ? 'no address' : 'joe@example.com';
    for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
    if (isShown) form.requestSubmit();
    // The tests' own records must not grow either.
    window.e2e.events.length = window.e2e.submits.length = window.e2e.listeners.length = 0;
    form.remove();
  }
}

interface Kept {
  readonly nodes: number;
  readonly listeners: number;
  readonly heapBytes: number;
  readonly statuses: number;
}

async function whatIsKept(cdp: CDPSession, page: Page): Promise<Kept> {
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('HeapProfiler.collectGarbage');
  return {
    nodes: await metric(cdp, 'Nodes'),
    listeners: await metric(cdp, 'JSEventListeners'),
    heapBytes: await metric(cdp, 'JSHeapUsedSize'),
    statuses: await page.locator('.email-verify-status').count(),
  };
}

async function metric(cdp: CDPSession, name: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find((entry) => entry.name === name)!.value;
}

test('starts few timers for a submission that waits for one of three addresses', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  const inputs = ['email', 'second', 'third'].map((id) => `<input id="${id}" name="${id}" type="email">`);
  service.hold('slow@example.com');
  await widgetPage.open(
    `<form id="form" action="/submit" method="post">${inputs.join('')}<button id="send">Send</button></form>`,
    {
      ...PATIENT,
      // More timers would only keep this page busy.
      before: `timers = 0; (function (native) {
        window.setTimeout = function (task, delay) { return ++timers < 2000 ? native(task, delay) : 0 };
      })(setTimeout);`,
    },
  );
  for (const id of ['email', 'second']) {
    await widgetPage.enterAccepted(`${id}@example.com`, page.locator(`#${id}`));
  }
  await page.locator('#third').fill('slow@example.com');
  await widgetPage.send.click();
  await widgetPage.expectState('verifying', page.locator('#third'));
  await page.evaluate('timers = 0');
  await widgetPage.pass(1_000);
  expect(await page.evaluate('timers')).toBeLessThan(50);
  service.release();
  await widgetPage.sent();
});
