/**
 * The look of the status. The page's styles do not reach it, its own styles do not leave it, and visitors can press the
 * suggestion.
 */
import type { Locator } from '@playwright/test';
import { eachRow, expect, FORM, MEANT, MISSPELT, PATIENT, TEXTS, test, undeliverable } from './fixtures.ts';

type Styles = Record<string, Record<string, string>>;

/** Properties that depend on the place of the box, the length of its text, and the angle of the spinner. */
const PLACE =
  /^(rotate|inset|top|left|right|bottom|transform|translate|perspective-origin|width|height|(inline|block)-size)/;

/** The box gets its place and its width in the first frame that shows it. */
const expectPlaced = (status: Locator) =>
  expect
    .poll(() => status.evaluate((host) => host.shadowRoot?.querySelector('div')?.style.translate))
    .toBeTruthy();

/** Every computed property of an element and its shadow tree, without those of its place. */
async function stylesOf(element: Locator): Promise<Styles> {
  const all = await element.evaluate((host) => {
    const styles: Styles = {};
    const within = host.shadowRoot?.querySelectorAll('*') ?? [];
    for (const [index, part] of [host, ...within].entries()) {
      const style = getComputedStyle(part);
      styles[`${index} ${part.localName}`] = Object.fromEntries(
        [...style].map((name) => [name, style.getPropertyValue(name)]),
      );
    }
    return styles;
  });
  for (const style of Object.values(all)) {
    for (const name of Object.keys(style)) if (PLACE.test(name)) delete style[name];
  }
  return all;
}

/** A form whose styles resist the page's other sheets. */
const FIRM = `<style>
    #form, #form * { display: revert !important; visibility: visible !important; opacity: 1 !important;
      transform: none !important; filter: none !important; pointer-events: auto !important }
    #form { position: fixed !important; inset: 0 auto auto 0 !important }
    #form, #form p { margin: 0 !important; padding: 0 !important; font: 16px/20px sans-serif !important;
      white-space: normal !important; text-indent: 0 !important; letter-spacing: 0 !important }
    #form input { font: 16px/20px sans-serif !important; box-sizing: border-box !important; width: 200px !important }
    #form #slot { font: 18px/24px serif !important; color: rgb(0, 90, 0) !important }
  </style>`;
const FIRM_FORM = FORM.replace('</form>', '<p id="slot"></p></form>');

const HOSTILE: Record<string, string> = {
  'for everything': `* { position: static !important; color: red !important; background: red !important;
    font: 40px/3 cursive !important; text-transform: uppercase !important; letter-spacing: 1em !important;
    white-space: nowrap !important; text-indent: -999px !important; text-shadow: 9px 9px red !important;
    -webkit-text-fill-color: red !important; word-spacing: 2em !important; border: 9px solid red !important;
    padding: 40px !important; margin: 40px !important; box-shadow: 0 0 99px red !important }`,
  'for empty elements, divs, spans and buttons': `.email-verify-status, :empty:not(input), div, span, button, i {
    display: none !important; visibility: hidden !important; opacity: 0 !important; transform: scale(0) !important;
    width: 0 !important; height: 0 !important; overflow: hidden !important; clip-path: inset(50%) !important;
    z-index: -1 !important; float: right !important; filter: blur(9px) !important; zoom: 0.1 !important;
    content-visibility: hidden !important; animation: none !important; transition: all 60s !important;
    mix-blend-mode: difference !important; user-select: all !important; pointer-events: auto !important }`,
  'in a layer, where important rules are strongest': `@layer resets {
    *:not(html, body, iframe, style, form, form *) { all: unset !important; display: none !important } }`,
  'for body, inherited by everything in it': `body { color: red; text-transform: uppercase; letter-spacing: 1em;
    white-space: pre; text-align: right; text-indent: 5em; word-break: break-all; line-height: 5; font-size: 40px;
    -webkit-text-fill-color: red; text-shadow: 9px 9px red; list-style: square; cursor: none; quotes: none }`,
};

test('keeps a page’s rules out of the floating status', async ({ page, service, widgetPage }) => {
  // In the middle of a fade, every look differs.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const stylesUnder = async (head: string) => {
    service.hold();
    await widgetPage.open(FIRM_FORM, { clock: 'real', ...PATIENT, head });
    await widgetPage.enterAndRead(MISSPELT, TEXTS.verifying);
    await expectPlaced(widgetPage.status);
    const verifying = await stylesOf(widgetPage.status);
    await service.nextRequest();
    service.release();
    await expect(widgetPage.status.getByRole('button')).toBeVisible();
    await expectPlaced(widgetPage.status);
    return [verifying, await stylesOf(widgetPage.status)];
  };
  const undisturbed = await stylesUnder(FIRM);
  await eachRow(HOSTILE, async (css) => {
    expect(await stylesUnder(`${FIRM}<style>${css}</style>`)).toEqual(undisturbed);
  });
});

test('lets only inherited styles reach a status in a parent of the page’s choice', async ({ widgetPage }) => {
  const stylesUnder = async (head: string) => {
    await widgetPage.open(FIRM_FORM, { clock: 'real', head, options: { statusAppendTo: '#slot' } });
    await widgetPage.enter(MISSPELT);
    await expect(widgetPage.status.getByRole('button')).toBeVisible();
    const styles = await stylesOf(widgetPage.status);
    const { display, position, opacity, float, padding, margin, filter, animation } = styles['0 div']!;
    const { color, 'font-size': size } = styles['2 span']!;
    return { display, position, opacity, float, padding, margin, filter, animation, color, size };
  };
  const undisturbed = await stylesUnder(FIRM);
  // A little smaller than the page's own text, like help texts.
  expect(undisturbed).toMatchObject({ display: 'block', size: '15.75px' });
  await eachRow(HOSTILE, async (css) => {
    expect(await stylesUnder(`${FIRM}<style>${css}</style>`)).toEqual(undisturbed);
  });
});

test('keeps its own styles away from the page', async ({ page, service, widgetPage }) => {
  service.hold();
  await widgetPage.open(
    `${FORM}<div class="rejected hint">Text <span>in</span> <i>all</i> <button>parts</button></div>`,
    { clock: 'real', ...PATIENT },
  );
  const styleOfPage = () =>
    page.evaluate(() => ({
      sheets: [document.styleSheets.length, document.adoptedStyleSheets.length],
      head: document.head.innerHTML,
      attributes: [document.documentElement, document.body].map((element) => element.getAttributeNames()),
      // The element that loads the widget's second file is there until the file has come.
      styles: [
        ...document.querySelectorAll('html, body, body *:not(.email-verify-status, script, :focus)'),
      ].map((element) => {
        const style = getComputedStyle(element);
        return [...style].map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ');
      }),
    }));
  await widgetPage.email.focus();
  await page.keyboard.press('Tab');
  const before = await styleOfPage();
  await widgetPage.enterAndRead(MISSPELT, TEXTS.verifying);
  expect(await styleOfPage()).toEqual(before);
  await service.nextRequest();
  service.release();
  await expect(widgetPage.status.getByRole('button')).toBeVisible();
  expect(await styleOfPage()).toEqual(before);
});

test.describe('the suggestion', () => {
  const MEANTS = {
    ordinary: MEANT,
    short: 'a@b.co',
    narrow: 'i@l.li',
    long: `${'long.'.repeat(12)}name@a.example`,
  };
  for (const [where, options] of [
    ['floating', {}],
    ['in the flow', { statusAppendTo: '#slot' }],
  ] as const) {
    test(`is at least 24 by 24 pixels ${where}, in any font and length`, async ({ service, widgetPage }) => {
      await widgetPage.open(FORM.replace('</form>', '<p id="slot"></p></form>'), { clock: 'real', options });
      await eachRow(MEANTS, async (meant, length) => {
        const misspelt = `${length}@example.com`;
        service.answer(misspelt, undeliverable({ did_you_mean: meant }));
        for (const font of ['16px sans-serif', '10px/10px sans-serif', '7px/1 serif', '32px/0.5 monospace']) {
          await widgetPage.page.addStyleTag({ content: `#form, #form input { font: ${font} }` });
          await widgetPage.enter('');
          await widgetPage.enter(misspelt);
          const suggestion = widgetPage.status.getByRole('button');
          await expect(suggestion).toHaveText(meant);
          const { width, height } = (await suggestion.boundingBox())!;
          // The transform loses fractions of a pixel.
          expect(width, font).toBeGreaterThan(23.99);
          expect(height, font).toBeGreaterThan(23.99);
        }
      });
    });
  }

  test('comes after the input and before the next field by the Tab key', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'real' });
    await widgetPage.enter(MISSPELT);
    const suggestion = widgetPage.status.getByRole('button');
    await expect(suggestion).toBeVisible();
    await widgetPage.email.focus();
    await page.keyboard.press('Tab');
    await expect(suggestion).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(widgetPage.note).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(suggestion).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(widgetPage.email).toBeFocused();
  });

  test('shows its focus', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'real', head: '<style>* { outline: none !important }</style>' });
    await widgetPage.enter(MISSPELT);
    const suggestion = widgetPage.status.getByRole('button');
    await expect(suggestion).toBeVisible();
    await widgetPage.email.focus();
    await page.keyboard.press('Tab');
    await expect(suggestion).toBeFocused();
    expect(await suggestion.evaluate((button) => getComputedStyle(button).outlineStyle)).not.toBe('none');
  });

  test('can be pressed in every place, and a press does not move the focus', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'real' });
    await widgetPage.enter(MISSPELT);
    // Before, it says that the address is being checked, at another place.
    await expect(widgetPage.status.getByRole('button')).toBeVisible();
    await expectPlaced(widgetPage.status);
    const box = (await widgetPage.status.getByRole('button').boundingBox())!;
    await widgetPage.note.focus();
    await page.mouse.click(box.x + 2, box.y + 2);
    await expect(widgetPage.email).toHaveValue(MEANT);
    await expect(widgetPage.note).toBeFocused();
  });
});
