/** Accessibility: what screen readers get, and what visitors with other colours, sizes or motion see. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { wish } from './engines/differences.ts';
import {
  deliverable,
  eachRow,
  expect,
  FORM,
  MEANT,
  MISSPELT,
  NO,
  PATIENT,
  rateLimited,
  status,
  TEXTS,
  test,
} from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const HINTED = 'info@example.com';
const SLOW = 'slow@example.com';
const FAILING = 'failing@example.com';
const LIMITED = 'limited@example.com';

test.beforeEach(({ service }) => {
  service.answer(HINTED, deliverable({ did_you_mean: MEANT }));
  service.answer(FAILING, status(500));
  service.answer(LIMITED, rateLimited());
});

/** A page without faults for axe, whose input already has a description. */
const ACCESSIBLE = `<main><h1>A page</h1>${FORM.replace(
  'type="email"',
  'type="email" autocomplete="email" aria-describedby="hint"',
)}<p id="hint">We never share it.</p></main>`;
const SCHEMES =
  '<style>:root { color-scheme: light dark } body { background: Canvas; color: CanvasText }</style>';

const STATES: Record<string, { address: string; state: string; says: string }> = {
  waiting: { address: 'joe@example.com', state: 'waiting', says: '' },
  verifying: { address: SLOW, state: 'verifying', says: TEXTS.verifying },
  accepted: { address: 'joe@example.com', state: 'accepted', says: '' },
  rejected: { address: NO, state: 'rejected', says: TEXTS.invalid },
  'rejected, with a suggestion': { address: MISSPELT, state: 'rejected', says: `Did you mean ${MEANT}?` },
  'accepted, with a suggestion': { address: HINTED, state: 'accepted', says: `Did you mean ${MEANT}?` },
  'no verdict': { address: FAILING, state: 'error', says: '' },
  'rate limited': { address: LIMITED, state: 'error', says: TEXTS.rateLimited },
};

/** The number of states with a text. */
const SAYING = Object.values(STATES).filter(({ says }) => says).length;

const LOOKS = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  'forced colours, light': { colorScheme: 'light', forcedColors: 'active' },
  'forced colours, dark': { colorScheme: 'dark', forcedColors: 'active' },
} as const;

/** Brings a field into a state, and waits for the state's text. */
async function bring(widgetPage: WidgetPage, { address, state, says }: (typeof STATES)[string]) {
  if (state === 'waiting') await widgetPage.email.fill(address);
  else await widgetPage.enter(address);
  await widgetPage.expectState(state);
  await expect(widgetPage.status).toHaveText(says);
}

test.describe('has no fault of axe in any state, in light, dark and forced colours,', () => {
  const idOf = (name: string) => name.replaceAll(/\W+/g, '-');
  const forms = Object.keys(STATES).map(
    (name) => `<form><label for="${idOf(name)}">Email, ${name}</label>
      <input id="${idOf(name)}" type="email" autocomplete="email" aria-describedby="hint"><p></p></form>`,
  );
  const PAGE = `<style>main { display: grid; grid-auto-rows: 110px }</style>
    <main><h1>A page</h1>${forms.join('')}<p id="hint">We never share it.</p></main>`;

  for (const [where, options] of [
    ['floating', {}],
    ['in the flow', { statusAppendTo: 'p' }],
  ] as const) {
    test(where, async ({ page, service, widgetPage }) => {
      service.hold(SLOW);
      await page.setViewportSize({ width: 800, height: 1_200 });
      await widgetPage.open(PAGE, {
        clock: 'real',
        head: SCHEMES,
        options: { ...options, blockOnRateLimit: true, verifyAfterDelay: 1e6, verificationTimeout: 600 },
      });
      await eachRow(STATES, async ({ address, state, says }, name) => {
        const input = page.locator(`#${idOf(name)}`);
        if (state === 'waiting') await input.fill(address);
        else await widgetPage.enter(address, input);
        await widgetPage.expectState(state, input);
        await expect(await widgetPage.statusOf(input)).toHaveText(says);
      });
      // In the middle of a fade, axe cannot tell the colours.
      await page.evaluate(() =>
        Promise.all(
          [...document.querySelectorAll('.email-verify-status')]
            .flatMap((host) => host.shadowRoot!.getAnimations())
            .filter((animation) => (animation as CSSAnimation).animationName === 'fade')
            .map((animation) => animation.finished),
        ),
      );
      await page.evaluate(AXE);
      await eachRow(LOOKS, async (media) => {
        await wish(page, media);
        const { violations, incomplete, passes } = (await page.evaluate(
          'axe.run(document, { rules: { region: { enabled: false } } })',
        )) as AxeResults;
        const described = [...violations, ...incomplete].map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`)}`,
        );
        expect(described).toEqual([]);
        expect(passes.length).toBeGreaterThan(10);
        // axe has checked every visible text, and skipped none that it could not see.
        const contrast = passes.find(({ id }) => id === 'color-contrast');
        const looked = contrast?.nodes.filter(({ target }) => String(target).includes('email-verify')) ?? [];
        expect(looked.length).toBeGreaterThanOrEqual(SAYING);
      });
    });
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`gives edges of rejections and hints a contrast of 3:1 (${colorScheme})`, async ({ widgetPage }) => {
    await wish(widgetPage.page, { colorScheme });
    await widgetPage.open(ACCESSIBLE, { clock: 'real', head: SCHEMES });
    for (const state of ['rejected', 'accepted, with a suggestion']) {
      await bring(widgetPage, STATES[state]!);
      const contrast = await widgetPage.status.evaluate((host) => {
        const box = host.shadowRoot!.querySelector('[part=status]')!;
        const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
        const luminance = (color: string) => {
          pen.fillStyle = color;
          pen.fillRect(0, 0, 1, 1);
          const [red = 0, green = 0, blue = 0] = [...pen.getImageData(0, 0, 1, 1).data].map((value) =>
            value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
          );
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const { backgroundColor, borderInlineStartColor } = getComputedStyle(box);
        const [darker, lighter] = [luminance(backgroundColor), luminance(borderInlineStartColor)].sort(
          (a, b) => a - b,
        ) as [number, number];
        return (lighter + 0.05) / (darker + 0.05);
      });
      expect(contrast, state).toBeGreaterThanOrEqual(3);
    }
  });
}

test.describe("the input's description", () => {
  test("has the page's own text in every state, and a visible message", async ({ service, widgetPage }) => {
    service.hold(SLOW);
    await widgetPage.open(ACCESSIBLE, {
      clock: 'real',
      options: { blockOnRateLimit: true, verifyAfterDelay: 1e6, verificationTimeout: 600 },
    });
    await eachRow(STATES, async (state) => {
      await bring(widgetPage, state);
      const spoken = (await widgetPage.accessibility(widgetPage.email)).description;
      // Browsers put spaces around a button.
      expect(spoken.replace(' ?', '?')).toBe(`We never share it. ${state.says}`.trim());
      await widgetPage.enter('');
      await widgetPage.expectState(null);
      expect((await widgetPage.accessibility(widgetPage.email)).description).toBe('We never share it.');
    });
  });
});

/** Records every text of the live region, task by task, as a screen reader reads it. */
const LISTEN = `(() => {
  const tree = document.querySelector('.email-verify-status').shadowRoot;
  window.heard = [];
  new MutationObserver((changes) => {
    // A screen reader reads every change of a region that has a text, even if the text is the same, unless it is off.
    if (tree.host.ariaLive !== 'off' && tree.textContent && changes.some(({ addedNodes, type }) => type !== 'childList' || addedNodes.length)) {
      heard.push(tree.textContent);
    }
  }).observe(tree, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ['hidden'] });
})()`;

test.describe('a screen reader', () => {
  test('reads each state once, and a rejection again only after another state', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    service.hold();
    await widgetPage.open(FORM, { clock: 'real', ...PATIENT });
    await widgetPage.email.focus();
    await expect(widgetPage.status).toHaveCount(1);
    await page.evaluate(LISTEN);
    await widgetPage.enterAndRead(NO, TEXTS.verifying);
    await service.nextRequest();
    service.release();
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
    // None of these changes the state.
    await widgetPage.email.focus();
    await widgetPage.send.click();
    await page.evaluate('emailVerify("allow", { free: true })');
    await widgetPage.email.press('Tab');
    expect(await page.evaluate('heard')).toEqual([TEXTS.verifying, TEXTS.invalid]);
  });

  test('reads nothing while the visitor types', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.email.focus();
    await widgetPage.pass(10);
    await expect(widgetPage.status).toHaveCount(1);
    await page.evaluate(LISTEN);
    for (const key of NO) {
      await page.keyboard.press(key);
      await widgetPage.pass(300);
    }
    expect(await page.evaluate('heard')).toEqual([]);
    await widgetPage.pass(1_000);
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
    const before = await page.evaluate('heard.length');
    for (const key of 'mmm') await page.keyboard.press(key);
    await widgetPage.expectState('waiting');
    await expect(widgetPage.status).toHaveText('');
    expect(await page.evaluate('heard.length')).toBe(before);
  });

  test('does not get to the status by a focus that moves by itself', async ({ service, widgetPage }) => {
    const { page } = widgetPage;
    await widgetPage.open(FORM, {
      clock: 'real',
      ...PATIENT,
      after: `window.focused = [];
        document.addEventListener('focusin', function (event) { focused.push(event.target.id) });`,
    });
    await widgetPage.email.focus();
    for (const address of [NO, MISSPELT, HINTED, FAILING]) {
      service.hold();
      await widgetPage.email.fill(address);
      await widgetPage.note.focus();
      await expect(widgetPage.status).toHaveText(TEXTS.verifying);
      await service.nextRequest();
      service.release();
      await expect(widgetPage.status).not.toHaveText(TEXTS.verifying);
      await expect(widgetPage.note).toBeFocused();
      await widgetPage.email.focus();
    }
    expect(await page.evaluate('focused')).toEqual(['email', ...Array(4).fill(['note', 'email']).flat()]);
  });
});

for (const [title, reducedMotion, running] of [
  ['stops the spinner for visitors who want no motion', 'reduce', []],
  ['turns the spinner for all other visitors', 'no-preference', expect.arrayContaining(['turn'])],
] as const) {
  test(title, async ({ page, service, widgetPage }) => {
    await wish(page, { reducedMotion });
    service.hold();
    await widgetPage.open(FORM, { clock: 'real', ...PATIENT });
    await widgetPage.enterAndRead(SLOW, TEXTS.verifying);
    const animations = await widgetPage.status.evaluate((host) =>
      host.shadowRoot!.getAnimations().map((animation) => (animation as CSSAnimation).animationName),
    );
    expect(animations).toEqual(running);
  });
}
