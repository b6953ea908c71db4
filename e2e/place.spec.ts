/** The side of the input on which a floating status is, what it covers, its width, and its direction. */
import type { Page } from '@playwright/test';
import { eachRow, expect, NO, TEXTS, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

/** As narrow as a form without gaps. */
const LOOK = `<style>
  body { margin: 60px 20px; font: 16px/20px sans-serif }
  input, button { display: block; box-sizing: border-box; width: 200px; height: 32px; margin: 0; font: inherit }
  p, label, form { margin: 0 }
</style>`;
const LONG_LABEL = 'The address that you read most often, if you have several';
const EMAIL = '<input id="email" type="email" aria-label="Email">';

test.beforeEach(async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 600 });
});

interface Shown {
  readonly side: 'below' | 'beside' | 'before' | 'above' | 'elsewhere';
  /** The texts and controls under the box, as the visitor reads them. */
  readonly covers: string[];
  readonly isSeen: boolean;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Runs inside the page. */
function look(): Shown {
  const input = document.querySelector('#email')!;
  const hosts = [...document.querySelectorAll('.email-verify-status')];
  const host = hosts.find(({ id }) => input.getAttribute('aria-describedby')!.includes(id))!;
  const box = host.shadowRoot!.querySelector('[part=status]') as HTMLElement;
  const at = input.getBoundingClientRect();
  const own = box.getBoundingClientRect();
  const near = (one: number, other: number) => Math.abs(one - other) < 1;
  const side = near(own.top, at.bottom + 4)
    ? 'below'
    : near(own.bottom, at.top - 4)
      ? 'above'
      : near(own.left, at.right + 4)
        ? 'beside'
        : near(own.right, at.left - 4)
          ? 'before'
          : 'elsewhere';
  const meets = (rect: DOMRect) =>
    rect.left < own.right && own.left < rect.right && rect.top < own.bottom && own.top < rect.bottom;
  const covers: string[] = [];
  const collect = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const range = document.createRange();
      range.selectNode(node);
      if (node instanceof Element) {
        if (node.shadowRoot && node !== host) collect(node.shadowRoot);
        if (node.matches('input, button') && meets(node.getBoundingClientRect())) {
          covers.push(node.getAttribute('aria-label') ?? node.textContent!);
        }
      } else if (node.textContent!.trim() && !node.parentElement!.closest('button, script, style')) {
        if ([...range.getClientRects()].some(meets)) covers.push(node.textContent!.trim());
      }
    }
  };
  collect(document.body);
  const { left, right, top, bottom } = own;
  const isSeen = box.checkVisibility() && getComputedStyle(box).clipPath === 'none' && own.width > 0;
  return { side, covers, isSeen, left, right, top, bottom };
}

/** The status after two frames. */
const shownIn = (page: Page): Promise<Shown> =>
  page
    .evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))))
    .then(() => page.evaluate(look));

/** Opens a page, enters an address that is rejected, and returns the place of the status. The field keeps the focus. */
async function reject(widgetPage: WidgetPage, body: string, css = '', text: string = TEXTS.invalid) {
  await widgetPage.open(body, {
    clock: 'real',
    head: `${LOOK}<style>${css}</style>`,
    options: { verifyAfterDelay: 0, messages: { ...TEXTS, invalid: text } },
  });
  await widgetPage.email.fill(NO);
  await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText(text);
  return shownIn(widgetPage.page);
}

test('does not cover the label of the next field', async ({ widgetPage }) => {
  const shown = await reject(
    widgetPage,
    `<form>${EMAIL}<label>Name <input aria-label="Name"></label></form>`,
  );
  expect(shown).toMatchObject({ side: 'beside', covers: [], isSeen: true });
});

test('does not cover the submit button below a field without a gap', async ({ widgetPage }) => {
  const shown = await reject(widgetPage, `<form>${EMAIL}<button>Send</button></form>`);
  expect(shown).toMatchObject({ side: 'beside', covers: [], isSeen: true });
});

test('takes the first side on which it covers nothing', async ({ widgetPage }) => {
  const row = (content: string) => `<div style="display: flex">${content}</div>`;
  const pages: Record<string, [body: string, side: string]> = {
    'all are free': [EMAIL, 'below'],
    'another field follows without a gap': [`${EMAIL}<input aria-label="Name">`, 'beside'],
    'a help text follows': [`${EMAIL}<p>We never share it.</p>`, 'beside'],
    'a link follows': [`${EMAIL}<a href="#">Terms</a>`, 'beside'],
    'a button that the pointer does not find follows': [
      `${EMAIL}<button disabled style="pointer-events: none">Send</button>`,
      'beside',
    ],
    'a button is in a shadow root': [`${EMAIL}<div id="host"></div>`, 'beside'],
    'a button is beside, and a help text below': [
      `${row(`${EMAIL}<button>Subscribe</button>`)}<p>We never share it.</p>`,
      'above',
    ],
  };
  await eachRow(pages, async ([body, side]) => {
    const shadow = `<script>var host = document.querySelector('#host');
      if (host) host.attachShadow({ mode: 'open' }).innerHTML = '<button>Send</button>';</script>`;
    expect(await reject(widgetPage, body + shadow)).toMatchObject({ side, covers: [], isSeen: true });
  });
});

test('stays below if only empty or invisible parts are below', async ({ widgetPage }) => {
  const text = '<p>We never share it.</p>';
  await eachRow(
    {
      'the box of a label around the input': `<label style="display: block; padding-block-end: 60px">Email ${EMAIL}</label>`,
      'the box of a paragraph': `${EMAIL}<p style="padding-block-start: 60px">Text</p>`,
      'a text that is not displayed': `${EMAIL}<div hidden>${text}</div>`,
      'an invisible text': `${EMAIL}<div style="visibility: hidden">${text}</div>`,
      'a transparent text': `${EMAIL}<div style="opacity: 0">${text}</div>`,
      'a text in a closed panel': `${EMAIL}<div style="height: 0; overflow: hidden">${text}</div>`,
      'a text for screen readers': `${EMAIL}<p style="position: absolute; width: 1px; height: 1px; overflow: hidden;
        clip-path: inset(50%); white-space: nowrap">We never share it.</p>`,
      'a field that is hidden': `${EMAIL}<input type="hidden" value="1">`,
    },
    async (body) => expect(await reject(widgetPage, body)).toMatchObject({ side: 'below', isSeen: true }),
  );
});

test('ignores what is behind a modal dialog', async ({ page, widgetPage }) => {
  await widgetPage.open(
    `<p style="position: absolute; inset: 190px auto auto 60px">A text behind the dialog, and below its edge.</p>
     <dialog id="dialog" style="margin: 100px 0 0 40px; padding: 40px 20px 10px">${EMAIL}</dialog>`,
    { clock: 'real', head: LOOK, options: { verifyAfterDelay: 0 } },
  );
  await page.evaluate('dialog.showModal()');
  await widgetPage.email.fill(NO);
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  expect(await shownIn(page)).toMatchObject({ side: 'below', isSeen: true });
});

test('takes the side on which it covers least, if no side is free', async ({ page, widgetPage }) => {
  await page.setViewportSize({ width: 240, height: 600 });
  const [short, long] = ['<p>Email</p>', `<p>${LONG_LABEL}</p>`];
  expect(await reject(widgetPage, `${short}${EMAIL}<button>Send</button>`)).toMatchObject({
    side: 'above',
    covers: ['Email'],
  });
  expect(await reject(widgetPage, `${long}${EMAIL}<p>Ok</p>`)).toMatchObject({
    side: 'below',
    covers: ['Ok'],
  });
});

test('leaves another field and its label uncovered while the visitor is there', async ({ widgetPage }) => {
  const { page } = widgetPage;
  await page.setViewportSize({ width: 240, height: 600 });
  const next = '<label for="next">Name</label><input id="next" aria-label="the next field">';
  await eachRow(
    {
      'by going above': `<p>${LONG_LABEL}</p>${EMAIL}${next}`,
      'by hiding, if it would cover the visitor on every side': `<label for="next">${LONG_LABEL}</label>${EMAIL}${next}`,
    },
    async (body, name) => {
      expect((await reject(widgetPage, body)).covers).toContain('Name');
      await page.locator('#next').focus();
      const { covers, isSeen } = await shownIn(page);
      if (name === 'by going above')
        expect({ covers, isSeen }).toEqual({ covers: [LONG_LABEL], isSeen: true });
      else expect(isSeen).toBe(false);
      await widgetPage.email.focus();
      expect((await shownIn(page)).isSeen).toBe(true);
    },
  );
});

test('stays visible over a text of the page while no field has the focus', async ({ page, widgetPage }) => {
  await page.setViewportSize({ width: 240, height: 600 });
  const shown = await reject(widgetPage, `<p>${LONG_LABEL}</p>${EMAIL}A text right in the body.`);
  expect(shown.covers).toEqual(['A text right in the body.']);
  await page.evaluate('email.blur()');
  expect(await shownIn(page)).toMatchObject({ covers: ['A text right in the body.'], isSeen: true });
});

test('leaves a field in a shadow root uncovered', async ({ page, widgetPage }) => {
  await page.setViewportSize({ width: 240, height: 600 });
  await reject(
    widgetPage,
    `<p>${LONG_LABEL}</p>${EMAIL}<div id="host"></div>
     <script>document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<input id="next" style="width: 40px">'</script>`,
  );
  expect((await shownIn(page)).side).toBe('below');
  await page.locator('#next').focus();
  expect((await shownIn(page)).side).toBe('above');
});

test('leaves room for a text that appears later', async ({ page, widgetPage }) => {
  const form = `<form>${EMAIL}</form>`;
  await eachRow(
    {
      'in the form': [form, `document.querySelector('form').append('Taken.')`],
      'outside the form': [`<div id="there">${form}</div>`, `there.append('Taken.')`],
      'outside the form, where it was hidden': [
        `${form}<p id="error" hidden>Taken.</p>`,
        `error.hidden = false`,
      ],
      'outside the form, in an element that was empty': [
        `${form}<p id="error">&nbsp;</p>`,
        `error.firstChild.data = 'Taken.'`,
      ],
    },
    async ([body, change]) => {
      expect(await reject(widgetPage, body as string)).toMatchObject({ side: 'below' });
      await page.evaluate(change as string);
      await expect.poll(() => shownIn(page)).toMatchObject({ side: 'beside', covers: [] });
    },
  );
});

/** A frame of the page's own clock. */
const FRAME_MS = 20;

test('checks the page at changes, a few times a second at most, never at rest', async ({ widgetPage }) => {
  const { page } = widgetPage;
  // Real frames, in which the browser tells of a scroll, although the page's clock stands still.
  await page.addInitScript('nativeFrame = requestAnimationFrame.bind(window)');
  await widgetPage.open(`<div style="height: 3000px">${EMAIL}</div>`, { clock: 'paused', head: LOOK });
  await widgetPage.email.fill(NO);
  await widgetPage.passUntil('verified');
  await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText(TEXTS.invalid);
  await page.evaluate(() => {
    const native = Document.prototype.createTreeWalker;
    Reflect.set(window, 'surveys', 0);
    Document.prototype.createTreeWalker = function (...all) {
      Reflect.set(window, 'surveys', Reflect.get(window, 'surveys') + 1);
      return native.apply(this, all);
    };
  });
  // The page's clock runs only here, so no busy machine makes a frame last longer than it says.
  const surveysIn = async (ms: number, move: (count: number) => string) => {
    await page.evaluate('surveys = 0');
    for (let count = 0; count * FRAME_MS < ms; count++) {
      await page.evaluate(`${move(count)}; new Promise(nativeFrame)`);
      await widgetPage.pass(FRAME_MS);
    }
    return page.evaluate('surveys');
  };
  await surveysIn(300, () => '');
  expect(await surveysIn(600, () => '')).toBe(0);
  const moving = await surveysIn(1_000, (count) => `scrollTo(0, ${count % 30})`);
  expect(moving).toBeGreaterThan(0);
  expect(moving).toBeLessThanOrEqual(5);
});

test.describe('has the direction of its input', () => {
  test('in a right-to-left field of a left-to-right page, and the reverse', async ({ page, widgetPage }) => {
    for (const [outer, inner] of [
      ['ltr', 'rtl'],
      ['rtl', 'ltr'],
    ] as const) {
      await reject(
        widgetPage,
        `<div style="margin: 60px 350px">${EMAIL.replace('<input', `<input dir="${inner}"`)}</div>
        <script>document.documentElement.dir = '${outer}'</script>`,
      );
      const { left, right } = await shownIn(page);
      const input = (await widgetPage.email.boundingBox())!;
      if (inner === 'rtl') expect(right).toBeCloseTo(input.x + input.width, 0);
      else expect(left).toBeCloseTo(input.x, 0);
      await expect(widgetPage.status.locator('[part=status]')).toHaveCSS('direction', inner);
    }
  });

  test('next to the input, on the side where its line ends, also after a change', async ({ widgetPage }) => {
    const body = `<div style="margin-inline-start: 300px">${EMAIL}<p>Help</p></div>`;
    expect(await reject(widgetPage, body)).toMatchObject({ side: 'beside', covers: [] });
    await widgetPage.page.evaluate('email.dir = "rtl"');
    await expect.poll(() => shownIn(widgetPage.page)).toMatchObject({ side: 'before', covers: [] });
    await expect(widgetPage.status.locator('[part=status]')).toHaveCSS('direction', 'rtl');
  });
});

test.describe('takes no more room than there is', () => {
  const LONG = 'Nobody has ever read a letter that was sent there, as far as we know.';

  test('next to the input', async ({ page, widgetPage }) => {
    const body = `<div style="margin-inline-start: 480px">${EMAIL}<p style="width: 200px">Help</p></div>`;
    const shown = await reject(widgetPage, body, '', LONG);
    expect(shown).toMatchObject({ side: 'beside', covers: [] });
    expect(shown.right).toBeLessThanOrEqual(((await page.evaluate('innerWidth')) as number) - 8);
  });

  test('in a large page: no more than its input, or than a sentence needs', async ({ widgetPage }) => {
    const { left, right } = await reject(widgetPage, EMAIL, '', LONG);
    expect(right - left).toBeLessThanOrEqual(288);
    const wide = await reject(widgetPage, EMAIL, 'input { width: 700px }', LONG);
    expect(wide.right - wide.left).toBeGreaterThan(400);
    expect(wide.right - wide.left).toBeLessThanOrEqual(700);
  });

  test('in the visible part of a page after a pinch', async ({ page, widgetPage }) => {
    await reject(widgetPage, `<div style="margin: 60px 350px">${EMAIL}</div>`, '', LONG);
    const cdp = await widgetPage.cdp();
    await cdp.send('Emulation.setPageScaleFactor', { pageScaleFactor: 3 });
    await page.evaluate('email.scrollIntoView({ block: "center", inline: "center" })');
    await expect.poll(() => page.evaluate('visualViewport.scale')).toBe(3);
    await expect
      .poll(async () => {
        const { left, right, isSeen } = await shownIn(page);
        const view = (await page.evaluate(
          '({ left: visualViewport.offsetLeft, width: visualViewport.width })',
        )) as { left: number; width: number };
        return isSeen && left >= view.left + 7 && right <= view.left + view.width - 7;
      })
      .toBe(true);
  });
});

test('has the corners of its input, unless they would cut off characters', async ({ widgetPage }) => {
  const corners = async (css: string) => {
    await reject(widgetPage, EMAIL, css);
    return widgetPage.status
      .locator('[part=status]')
      .evaluate((box) => getComputedStyle(box).borderTopLeftRadius);
  };
  expect(await corners('input { border-radius: 3px }')).toBe('3px');
  expect(await corners('input { border-radius: 0 }')).toBe('0px');
  expect(await corners('input { border-radius: 99px }')).toBe('10.5px');
  expect(
    await corners('input { border-radius: 3px } .email-verify-status::part(status) { border-radius: 7px }'),
  ).toBe('7px');
});
