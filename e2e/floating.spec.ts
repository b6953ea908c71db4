/** The place of the floating status, frame by frame, whatever the page does to the input. */
import type { Page } from '@playwright/test';
import {
  eachRow,
  expect,
  MEANT,
  MISSPELT,
  NO,
  PATIENT,
  TEXTS,
  FORM as TIGHT_FORM,
  test,
} from './fixtures.ts';
import { boxFont } from './pages/box-font.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const SUGGESTION = `Did you mean ${MEANT}?`;
/** A form with room for a status below the first field. */
const FORM = TIGHT_FORM.replace(
  '<p><label for="note"',
  '<p style="margin-block-start: 90px"><label for="note"',
);
const TALL = '<div style="height: 3000px"></div>';

/** Counts the animation frames that the page requests, from the first script on. */
const COUNT_FRAMES = `window.framesAsked = 0;
  window.nativeFrame = window.requestAnimationFrame;
  window.requestAnimationFrame = function () {
    window.framesAsked += 1;
    return nativeFrame.apply(window, arguments);
  };`;

test.beforeEach(async ({ page }) => {
  // The first frame of a fade shows nothing.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.addInitScript(defineLooking);
});

/** The place and the visibility of the status, in pixels of the window. */
interface Place {
  /** The distance of the box from the start of the input, and from its lower edge. */
  readonly along: number;
  readonly below: number;
  /** The distance of a box above its input from the input's upper edge. */
  readonly above: number;
  readonly left: number;
  readonly right: number;
  readonly overlapsInput: boolean;
  readonly isSeen: boolean;
}

/** Defined in every page. */
declare function frames(count: number): Promise<void>;
declare function placeOf(selector?: string): Place;

/** Runs inside the page. */
function defineLooking(): void {
  const frame = window.requestAnimationFrame;
  const define = (name: string, value: unknown) => Object.defineProperty(window, name, { value });
  define('frames', async (count: number) => {
    for (let left = count; left > 0; left -= 1) await new Promise((next) => frame.call(window, next));
  });
  // The place of each element of the page, and how far it can be scrolled.
  define('roomTaken', () => {
    const roomIn = (parent: ParentNode): unknown[] =>
      [...parent.querySelectorAll('*:not(.email-verify-status)')].flatMap((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const { localName, id, scrollWidth, scrollHeight } = element;
        const own = [
          localName,
          id,
          x + scrollX,
          y + scrollY,
          width,
          height,
          scrollWidth,
          scrollHeight,
        ].join();
        return [own, ...(element.shadowRoot ? roomIn(element.shadowRoot) : [])];
      });
    return roomIn(document);
  });
  define('placeOf', (selector = '#email'): Place => {
    const deep = (root: ParentNode): Element | null =>
      root.querySelector(selector) ??
      [...root.querySelectorAll('*')].map((host) => host.shadowRoot && deep(host.shadowRoot)).find(Boolean) ??
      null;
    const input = deep(document) as HTMLInputElement;
    const root = input.getRootNode() as Document | ShadowRoot;
    const ids = input.getAttribute('aria-describedby')!.split(' ');
    const host = root.getElementById(ids.find((id) => id.startsWith('email-verify-status'))!)!;
    const box = host.shadowRoot!.querySelector('[part=status]') as HTMLElement;
    const at = input.getBoundingClientRect();
    const own = box.getBoundingClientRect();
    const isRightToLeft = getComputedStyle(box).direction === 'rtl';
    const isShown =
      box.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && own.height > 0;
    const isOnTop = () => {
      // The pointer finds the topmost element, if that takes the pointer.
      box.style.pointerEvents = 'auto';
      let hit = document.elementFromPoint(own.left + own.width / 2, own.top + own.height / 2);
      for (let next = hit; next; next = next.shadowRoot?.elementFromPoint(own.left + 5, own.top + 5) ?? null)
        hit = next;
      box.style.pointerEvents = '';
      return box.contains(hit);
    };
    return {
      along: isRightToLeft ? own.right - at.right : own.left - at.left,
      below: own.top - at.bottom,
      above: at.top - own.bottom,
      left: own.left,
      right: own.right,
      overlapsInput: own.left < at.right && own.right > at.left && own.top < at.bottom && own.bottom > at.top,
      isSeen: isShown && isOnTop(),
    };
  });
}

/** The gap between input and box in placement.ts, apart from rounding. */
const GAP_PX = 4;

/** Expects the status right below its input and at its start, in the current frame. */
function expectBelow(place: Place): void {
  expect(place, JSON.stringify(place)).toMatchObject({ isSeen: true, overlapsInput: false });
  expect(Math.abs(place.along), `along the input: ${place.along}`).toBeLessThan(1);
  expect(Math.abs(place.below - GAP_PX), `below the input: ${place.below}`).toBeLessThan(1);
}

interface Rejection {
  readonly head?: string;
  readonly options?: Record<string, unknown>;
  readonly address?: string;
  readonly text?: string;
}

/** Opens a page, and enters an address that is rejected. */
async function reject(
  widgetPage: WidgetPage,
  body: string,
  { head = '', options = {}, address = NO, text = TEXTS.invalid }: Rejection = {},
): Promise<void> {
  await widgetPage.open(body, { clock: 'real', head, options });
  await widgetPage.enterAndRead(address, text);
}

/**
 * Changes something on the page, waits three frames, and returns the place of the status. Where no event tells of a
 * change, the browser notices it in the first frame, and the box moves in the next.
 */
async function placeAfter(page: Page, change: string, settled = 3): Promise<Place> {
  return page.evaluate(
    async ([script, count]) => {
      await new Function(`return (async () => { ${script} })()`)();
      await frames(count as number);
      return placeOf();
    },
    [change, settled] as const,
  );
}

test('is at its input in the first frame in which it is shown', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM, {
    clock: 'real',
    after: `document.addEventListener('verified', function () {
      requestAnimationFrame(function () { window.first = placeOf() });
    });`,
  });
  // The second file is there before the verdict.
  await widgetPage.email.focus();
  await expect(widgetPage.status).toHaveCount(1);
  await widgetPage.enterAndRead(NO, TEXTS.invalid);
  expectBelow((await page.evaluate('frames(1).then(() => first)')) as Place);
});

test.describe('stays at its input, within a quarter of a second,', () => {
  const SCROLLERS = `<div id="outer" style="height: 300px; overflow: auto"><div style="height: 40px"></div>
      <div id="inner" style="height: 400px; overflow: auto"><div style="height: 80px"></div>
        <div style="width: 3000px; padding-inline-start: 60px">${FORM}</div>${TALL}</div>${TALL}</div>${TALL}`;

  const rule = (text: string) => `var sheet = new CSSStyleSheet(); sheet.replaceSync('${text}');
    document.adoptedStyleSheets = [sheet];`;

  const MOVES: Record<string, { body?: string; head?: string; change: string }> = {
    'while the page is scrolled': { change: 'scrollTo(0, 25)' },
    'while the page is scrolled sideways': {
      body: `<div style="width: 4000px; padding-inline-start: 200px">${FORM}</div>`,
      change: 'scrollTo(120, 0)',
    },
    'while a scroller around it is scrolled': { body: SCROLLERS, change: 'inner.scrollTop = 30' },
    'while a scroller around it is scrolled sideways': { body: SCROLLERS, change: 'inner.scrollLeft = 30' },
    'while scrollers and the page are scrolled at once': {
      body: SCROLLERS,
      change: 'inner.scrollTop = 20; outer.scrollTop = 15; scrollTo(0, 10)',
    },
    'while content is added above': {
      change: `document.body.prepend(Object.assign(document.createElement('div'), { style: 'height: 77px' }))`,
    },
    'while content above is removed': {
      body: `<div id="above" style="height: 120px"></div>${FORM}`,
      change: 'above.remove()',
    },
    'while a picture above gets its size': {
      body: `<img id="above" alt="">${FORM}`,
      change: `above.src = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="66"/>';
        await above.decode();`,
    },
    'while a late font changes the layout': {
      body: `<h1 style="font: 60px Late, serif; width: 400px">A heading in three words</h1>${FORM}`,
      change: `var face = await new FontFace('Late', 'url(${boxFont()})').load(); document.fonts.add(face);`,
    },
    'when the input is moved by a transform': { change: `form.style.transform = 'translate(90px, 60px)'` },
    'when the input is moved by its margins': { change: `form.style.margin = '50px 0 0 70px'` },
    'when the input grows': { change: `email.style.height = '90px'` },
    'when the input is moved to another place in the document': {
      body: `<div id="there" style="padding: 90px 0 0 110px"></div><div id="here">${FORM}</div>`,
      change: 'there.append(email)',
    },
    'when the page turns from left-to-right to right-to-left': {
      body: FORM.replace('<form', '<form style="width: 600px"'),
      change: `document.documentElement.dir = 'rtl'`,
    },
    'when the page is zoomed': { change: `document.documentElement.style.zoom = 1.5` },
    'when the body is zoomed out': { change: `document.body.style.zoom = 0.6` },
    'when a part of the page is zoomed': { change: `form.style.zoom = 1.7` },
    // No event and no change of the document tells of these.
    'when a rule makes the input smaller': { change: rule('#email { height: 12px; width: 60px }') },
    'when a rule scales the input down': { change: rule('#email { scale: 0.5; transform-origin: 0 0 }') },
    'when a rule moves an input of which only a part is visible': {
      body: `<div style="overflow: hidden; width: 160px; white-space: nowrap">${FORM}</div>`,
      change: rule('#form { translate: 0 3px }'),
    },
    'when the class of an element around its form makes the input smaller': {
      body: `<div id="outer">${FORM}</div>`,
      head: '<style>.small input { height: 12px; padding: 0 }</style>',
      change: `outer.className = 'small'`,
    },
  };
  for (const [when, { body = FORM + TALL, head = '', change }] of Object.entries(MOVES)) {
    test(when, async ({ page, widgetPage }) => {
      await reject(widgetPage, body, { head });
      const before = await placeAfter(page, '');
      expectBelow(before);
      const input = () => page.evaluate('JSON.stringify(email.getBoundingClientRect())');
      const from = await input();
      const moved = await placeAfter(page, change, 2);
      if (/scroll/.test(change)) expectBelow(moved);
      // No event tells of another change, and a busy browser holds its observers back.
      else await expect(async () => expectBelow(await placeAfter(page, ''))).toPass();
      expect(await input(), 'the input has moved').not.toBe(from);
    });
  }

  test('when the window is resized', async ({ page, widgetPage }) => {
    await reject(widgetPage, `<div style="margin-inline-start: 30vw">${FORM}</div>`);
    for (const [width, height] of [
      [800, 600],
      [500, 300],
      [1200, 500],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => page.evaluate('innerWidth')).toBe(width);
      expectBelow(await placeAfter(page, ''));
    }
  });

  test('when the browser zooms, and on displays of any density', async ({ page, widgetPage }) => {
    await reject(widgetPage, `<div style="margin-inline-start: 10vw">${FORM}</div>`);
    const cdp = await widgetPage.cdp();
    for (const deviceScaleFactor of [1.1, 1.5, 3, 0.67]) {
      const width = Math.round(1280 / deviceScaleFactor);
      await cdp.send('Emulation.setDeviceMetricsOverride', {
        width,
        height: Math.round(720 / deviceScaleFactor),
        deviceScaleFactor,
        mobile: false,
      });
      await expect.poll(() => page.evaluate('innerWidth')).toBe(width);
      expectBelow(await placeAfter(page, ''));
    }
  });

  test('in every frame of an animation', async ({ page, widgetPage }) => {
    await reject(widgetPage, `${FORM}${TALL}`);
    await page.evaluate(() => {
      document
        .getElementById('form')!
        .animate([{ transform: 'none' }, { transform: 'translate(200px, 150px)' }], {
          duration: 2_000,
          // Back and forth without an end, because on a busy machine one way is over before the last look.
          direction: 'alternate',
          iterations: Infinity,
        });
    });
    // No event tells of an animation, and a busy browser may hold its observers back for many frames. The box may come
    // late, but then it follows.
    await expect(async () => {
      const places = await page.evaluate(async () => {
        const seen: Place[] = [];
        for (let count = 0; count < 20; count += 1) {
          await frames(1);
          // After this frame, in which the widget has moved the box.
          await new Promise((next) => setTimeout(next));
          seen.push(placeOf());
        }
        return seen;
      });
      for (const place of places) expectBelow(place);
      expect(new Set(places.map(({ left }) => left)).size, 'places that the box was at').toBeGreaterThan(5);
    }).toPass();
  });
});

test.describe('is at an input', () => {
  const scrolled = 'scrollTo(0, 12)';
  const PAGES: Record<string, { body?: string; head?: string; begin?: string; change?: string }> = {
    'in a transformed box': { body: `<div style="transform: translate(120px, 70px)">${FORM}</div>${TALL}` },
    'in a scaled box': {
      body: `<div style="transform: scale(1.4); transform-origin: 0 0">${FORM}</div>${TALL}`,
    },
    'in a box that contains its layout': {
      body: `<div style="contain: layout; margin: 40px">${FORM}</div>${TALL}`,
    },
    'in a fixed box': {
      body: `<div style="position: fixed; inset: 120px auto auto 90px">${FORM}</div>${TALL}`,
    },
    'in a sticky box': {
      body: `<div style="height: 60px"></div><div style="position: sticky; top: 20px">${FORM}</div>${TALL}`,
    },
    'in a body with margins': { head: '<style>body { margin: 70px 50px }</style>', body: FORM + TALL },
    'in a positioned body': {
      head: '<style>body { position: relative; inset: 30px auto auto 40px; margin: 20px }</style>',
      body: FORM + TALL,
    },
    'in a moved body': {
      head: '<style>body { transform: translate(50px, 40px) }</style>',
      body: FORM + TALL,
    },
    'in a body made smaller': {
      head: '<style>body { transform: scale(0.6); transform-origin: 0 0 }</style>',
      body: FORM + TALL,
    },
    'in a body made larger': {
      head: '<style>body { transform: scale(2.5); transform-origin: 0 0 }</style>',
      body: FORM + TALL,
    },
    'in a zoomed and moved body': {
      head: '<style>body { zoom: 2; transform: translate(20px, 10px) }</style>',
      body: FORM + TALL,
    },
    'in a body that scrolls itself': {
      head: '<style>html { overflow: hidden; height: 100% } body { height: 100%; margin: 0; overflow: auto }</style>',
      body: `<div style="height: 150px"></div>${FORM}${TALL}`,
      change: 'document.body.scrollTop = 60',
    },
    'in a body laid out as a grid': {
      head: '<style>body { display: grid; gap: 50px; place-items: center } body > * { margin: 30px }</style>',
      body: FORM,
    },
    'in a modal dialog': {
      body: `<dialog id="dialog">${FORM}<p style="height: 120px"></p></dialog>${TALL}`,
      begin: 'dialog.showModal()',
    },
    'in a modal dialog that is moved': {
      head: '<style>dialog { transform: translate(30px, 20px) scale(1.2); height: 300px; width: 500px }</style>',
      body: `<dialog id="dialog">${FORM}</dialog>${TALL}`,
      begin: 'dialog.showModal()',
    },
    'in a popover': {
      body: `<div id="popover" popover style="inset: 90px auto auto 110px; height: 200px">${FORM}</div>${TALL}`,
      begin: 'popover.showPopover()',
    },
    'in a shadow root': {
      body: '<div id="outer" style="margin: 60px; transform: translate(9px, 9px)"></div>',
      begin: `outer.attachShadow({ mode: 'open' }).innerHTML = '<input id="email" type="email"><input>'`,
    },
  };
  for (const [where, { body = FORM, head = '', begin = '', change = scrolled }] of Object.entries(PAGES)) {
    test(where, async ({ page, widgetPage }) => {
      await widgetPage.open(body, { clock: 'real', head });
      await page.evaluate(begin);
      await widgetPage.enterAndRead(NO, TEXTS.invalid);
      expectBelow(await placeAfter(page, '', 4));
      expectBelow(await placeAfter(page, change, 4));
    });
  }

  test('right-to-left, and ends where the input ends', async ({ page, widgetPage }) => {
    await reject(widgetPage, `<div dir="rtl" style="width: 500px">${FORM}</div>`, {
      head: '<script>document.documentElement.dir = "rtl"</script>',
    });
    expectBelow(await placeAfter(page, ''));
  });

  test('at the bottom of the window, above it if there is no room below', async ({ page, widgetPage }) => {
    const field = '<input id="email" type="email" style="position: fixed; bottom: 5px; width: 95%">';
    await reject(widgetPage, `${field}<input>`);
    const place = await placeAfter(page, '');
    expect(place).toMatchObject({ isSeen: true, overlapsInput: false });
    expect(Math.abs(place.above - GAP_PX)).toBeLessThan(1);
  });

  for (const direction of ['ltr', 'rtl'] as const) {
    test(`at the edge of the window, without reaching over it (${direction})`, async ({ widgetPage }) => {
      const text = 'Too long a text. '.repeat(8).trim();
      await reject(widgetPage, `${FORM}<script>document.documentElement.dir = '${direction}'</script>`, {
        options: { messages: { ...TEXTS, invalid: text } },
        text,
      });
      for (const width of [1000, 320]) {
        await widgetPage.page.setViewportSize({ width, height: 500 });
        // The page may get its new size a few frames later.
        await expect.poll(() => widgetPage.page.evaluate('innerWidth')).toBe(width);
        const place = await placeAfter(
          widgetPage.page,
          `form.style.width = '250px'; form.style.marginInlineStart = (innerWidth - 160) + 'px'`,
          4,
        );
        expect(place).toMatchObject({ isSeen: true, overlapsInput: false });
        expect(place.left).toBeGreaterThan(7);
        expect(place.right).toBeLessThan(width - 7);
      }
    });
  }
});

test.describe('hides with its input, and comes back with it,', () => {
  const scroller = (content: string) =>
    `<div id="scroller" style="height: 200px; overflow: auto"><div style="height: 60px"></div>${content}${TALL}</div>`;
  const WAYS: Record<string, { body?: string; hide: string; show: string }> = {
    'when it is not displayed': { hide: `email.style.display = 'none'`, show: `email.style.display = ''` },
    'when a box around it is not displayed': { hide: 'form.hidden = true', show: 'form.hidden = false' },
    'when it is invisible': {
      hide: `email.style.visibility = 'hidden'`,
      show: `email.style.visibility = ''`,
    },
    'when a box around it is invisible': {
      hide: `form.style.visibility = 'hidden'`,
      show: `form.style.visibility = ''`,
    },
    'when a box around it closes to no height': {
      hide: `form.style.cssText = 'height: 0; overflow: hidden'`,
      show: `form.style.cssText = ''`,
    },
    'when its details are closed': {
      body: `<details id="details" open><summary>More</summary>${FORM}</details>`,
      hide: 'details.open = false',
      show: 'details.open = true',
    },
    'when it is scrolled out of its scroller': {
      body: scroller(FORM),
      hide: 'scroller.scrollTop = 300',
      show: 'scroller.scrollTop = 0',
    },
    'when it is scrolled out of its scroller sideways': {
      body: `<div id="scroller" style="width: 500px; overflow: auto"><div style="width: 4000px">${FORM}</div></div>`,
      hide: 'scroller.scrollLeft = 900',
      show: 'scroller.scrollLeft = 0',
    },
    'when it is scrolled out of the window': { hide: 'scrollTo(0, 900)', show: 'scrollTo(0, 0)' },
    'when it is moved aside, like the steps of a wizard': {
      body: `<div style="overflow: hidden; width: 600px">${FORM}</div>`,
      hide: `form.style.transform = 'translateX(-700px)'`,
      show: `form.style.transform = ''`,
    },
  };
  for (const [when, { body = FORM + TALL, hide, show }] of Object.entries(WAYS)) {
    test(when, async ({ page, widgetPage }) => {
      await reject(widgetPage, body);
      expectBelow(await placeAfter(page, ''));
      await placeAfter(page, hide);
      await expect.poll(async () => (await placeAfter(page, '')).isSeen).toBe(false);
      await placeAfter(page, show);
      await expect(async () => expectBelow(await placeAfter(page, ''))).toPass();
    });
  }
});

test.describe('costs the page nothing:', () => {
  test('nothing moves, whatever it shows', async ({ page, service, widgetPage }) => {
    // Anything in the flow of such a page moves everything.
    const head = '<style>body { display: grid; place-content: center; gap: 1em; min-height: 90vh }</style>';
    await widgetPage.open(`<p>Before</p>${FORM}<p>After</p>`, { clock: 'real', ...PATIENT, head });
    // A busy browser shows the first parts of a document before the others, which then move them.
    await page.evaluate('frames(2)');
    const before = await widgetPage.layoutShift();
    for (const address of [NO, MISSPELT, 'joe@example.com']) {
      service.hold();
      await widgetPage.enterAndRead(address, TEXTS.verifying);
      await service.nextRequest();
      service.release();
      await widgetPage.nextEvent('verified');
      await page.evaluate('scrollBy(0, 5), frames(2)');
    }
    expect(await widgetPage.layoutShift()).toBe(before);
  });

  const TWO_BOXES = `${FORM}<p style="margin-bottom: 25px">The last words</p>`;
  const LAYOUTS: Readonly<Record<string, { body?: string; head?: string; root?: string; begin?: string }>> = {
    'in a plain body': {},
    'right to left': { root: 'lang="ar" dir="rtl"' },
    'in lines from top to bottom': { head: '<style>html { writing-mode: vertical-rl }</style>' },
    'in a body as high as the window': {
      head: '<style>html, body { height: 100%; margin: 0 } form { height: 100%; overflow: auto }</style>',
    },
    'in a body of flexible boxes, centred': {
      head: '<style>body { display: flex; gap: 40px; min-height: 100vh; margin: 0; place-content: center; place-items: center }</style>',
    },
    'in a column with the last box at its bottom': {
      head: '<style>body { display: flex; flex-direction: column; justify-content: space-between; height: 100vh; margin: 0 }</style>',
    },
    'in a grid': {
      head: '<style>body { display: grid; grid: auto-flow 120px / 1fr 1fr; gap: 30px; margin: 0 }</style>',
    },
    'in columns': { head: '<style>body { columns: 2; padding: 20px }</style>' },
    'in a body that scrolls itself': {
      head: '<style>html { overflow: hidden; height: 100% } body { height: 100%; margin: 0; overflow: auto }</style>',
    },
    'in a dialog that scrolls': {
      body: `<dialog id="dialog" style="overflow: auto; max-height: 400px; padding: 10px">${TWO_BOXES}</dialog>`,
      begin: 'dialog.showModal()',
    },
    'in a dialog of flexible boxes, right to left': {
      root: 'dir="rtl"',
      body: `<dialog id="dialog" style="overflow: auto; height: 350px">${TWO_BOXES}</dialog>`,
      head: '<style>dialog[open] { display: flex; flex-direction: column; gap: 30px }</style>',
      begin: 'dialog.showModal()',
    },
    'in a shadow root in a box that scrolls': {
      body: '<div id="outer" style="overflow: auto; height: 120px; width: 250px"></div>',
      begin: `outer.attachShadow({ mode: 'open' }).innerHTML = '<input id="email" type="email"><input><p style="height: 200px; width: 400px">'`,
    },
    'with rules for everything in the body': {
      head: `<style>
        body > * { position: relative !important; margin: 20px !important; padding: 1em; float: left; border: 3px solid }
        div, div:empty { display: flex !important; min-height: 40px; width: 300px !important; transform: scale(2) !important }
        [role] { contain: paint; opacity: 0.5 !important; transition: all 1s; animation: move 1s infinite !important }
        @layer ours { .email-verify-status { position: static !important; height: 100px !important } }
        @keyframes move { to { padding: 50px; translate: 50px } }
      </style>`,
    },
    'with something before and after each of its boxes': {
      head: `<style>
        div::before, div::after { content: 'More'; display: block; height: 80px; width: 110vw }
      </style>`,
      body: FORM + TALL,
    },
  };
  test('it takes no room, in any parent and with any rules of the page', async ({ page, widgetPage }) => {
    await eachRow(LAYOUTS, async ({ body = TWO_BOXES, head = '', root = '', begin = '' }) => {
      await widgetPage.open(body, { clock: 'real', head, root });
      await page.evaluate(begin);
      // Where a dialog has focused the input, the widget loads its face by a script element.
      await expect(page.locator('script[src*="-status.js"]')).toHaveCount(0);
      const before = await page.evaluate('roomTaken()');
      await widgetPage.enterAndRead(NO, TEXTS.invalid);
      expect(await page.evaluate('roomTaken()'), 'while it says something').toEqual(before);
      await widgetPage.enterAccepted('joe@example.com');
      await expect(widgetPage.status).toHaveText('');
      expect(await page.evaluate('roomTaken()'), 'while it says nothing').toEqual(before);
    });
  });

  test('it requests no frame and measures nothing while nothing changes', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM + TALL, {
      clock: 'real',
      before: COUNT_FRAMES,
      // Only what leaves the field is verified, however long the looks take.
      options: { verifyAfterDelay: 1_000_000 },
    });
    /** What the page's scripts read of the layout and ask of the browser in this time. */
    const looks = (ms: number) =>
      page.evaluate(async (ms) => {
        const seen: string[] = [];
        const natives = ['getBoundingClientRect', 'getClientRects'] as const;
        const before = natives.map((name) => Element.prototype[name]);
        for (const name of natives) {
          const native = Element.prototype[name] as () => DOMRect & DOMRectList;
          Element.prototype[name] = function () {
            seen.push(name);
            return native.call(this);
          };
        }
        await new Promise((done) => AbortSignal.timeout(ms).addEventListener('abort', done));
        for (const [index, name] of natives.entries()) Reflect.set(Element.prototype, name, before[index]);
        return seen;
      }, ms);
    const asked = () =>
      page.evaluate(async () => {
        Reflect.set(window, 'framesAsked', 0);
        await frames(5);
        return Reflect.get(window, 'framesAsked') as number;
      });
    expect(await asked(), 'before any contact').toBe(0);
    await widgetPage.email.fill(NO);
    await widgetPage.expectState('waiting');
    await expect.poll(asked, 'while the visitor types').toBe(0);
    await widgetPage.email.press('Tab');
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
    await expect.poll(asked, 'while it is shown').toBe(0);
    await expect.poll(() => looks(600), 'while it is shown, without the focus').toEqual([]);
    await widgetPage.email.focus();
    await expect.poll(asked, 'while it is shown, with the focus').toBe(0);
    await expect.poll(() => looks(600), 'while it is shown, with the focus').toEqual([]);
    await page.evaluate('scrollTo(0, 3000)');
    await expect.poll(asked, 'while it is scrolled out of sight').toBe(0);
    await expect.poll(() => looks(600), 'while it is scrolled out of sight').toEqual([]);
    await page.evaluate('scrollTo(0, 0)');
    await widgetPage.enterAccepted('joe@example.com');
    await expect.poll(asked, 'once the address is accepted').toBe(0);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    await widgetPage.enter('');
    await widgetPage.expectState(null);
    await expect.poll(asked, 'once the field is empty').toBe(0);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    await page.evaluate('email.remove()');
    await expect(widgetPage.status).toHaveCount(0);
    await expect.poll(asked, 'once the input is gone').toBe(0);
    await page.evaluate(`emailVerify('destroy')`);
    await expect.poll(asked, 'once the widget is gone').toBe(0);
  });

  test('it takes no pointer events, except on the suggestion', async ({ page, widgetPage }) => {
    const covered = `<button id="covered" style="position: fixed; inset: 0; opacity: 0.1">Page</button>`;
    await reject(
      widgetPage,
      `${covered}<div style="position: relative; pointer-events: none">${FORM}</div>`,
      { address: MISSPELT, text: SUGGESTION },
    );
    await placeAfter(page, '');
    const hits = (await page.evaluate(`(() => {
      const root = document.querySelector('.email-verify-status').shadowRoot;
      const box = root.querySelector('[part=status]').getBoundingClientRect();
      const button = root.querySelector('button').getBoundingClientRect();
      const at = (x, y) => {
        const hit = document.elementFromPoint(x, y);
        return hit.shadowRoot ? 'suggestion' : hit.id;
      };
      return {
        text: at(box.left + 10, (box.top + box.bottom) / 2),
        corners: [at(box.left + 1, box.top + 1), at(box.right - 1, box.bottom - 1)],
        suggestion: at((button.left + button.right) / 2, (button.top + button.bottom) / 2),
      };
    })()`)) as unknown;
    expect(hits).toEqual({ text: 'covered', corners: ['covered', 'covered'], suggestion: 'suggestion' });
  });

  for (const direction of ['ltr', 'rtl']) {
    test(`it leaves the input's end to icons of password managers (${direction})`, async ({ widgetPage }) => {
      const { page, service } = widgetPage;
      service.hold();
      await widgetPage.open(FORM.replace('<form', `<form dir="${direction}"`), { clock: 'real', ...PATIENT });
      await page.evaluate((dir) => {
        document.documentElement.dir = dir;
      }, direction);
      await widgetPage.enterAndRead(MISSPELT, TEXTS.verifying);
      expect((await placeAfter(page, '')).overlapsInput).toBe(false);
      await service.nextRequest();
      service.release();
      await expect(widgetPage.status).toHaveText(SUGGESTION);
      expect((await placeAfter(page, '')).overlapsInput).toBe(false);
      expect(await widgetPage.email.evaluate((input) => getComputedStyle(input).padding)).toBe('1px 2px');
    });
  }
});
