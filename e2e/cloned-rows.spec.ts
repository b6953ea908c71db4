/** Rows that a page clones, or takes out and puts back: what the widget has written on them is not theirs. */
import { deliverable, expect, TEXTS, test, undeliverable } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';

const ROWS = `<form id="form"><p id="hint">One address a row.</p>
  <div id="rows"><p class="row"><input id="email" name="email" type="email" aria-describedby="hint"></p></div></form>`;

/** The attributes of ours, and the description, as they stand. */
const OURS = `['aria-invalid', 'aria-busy', 'data-email-verify', 'data-email-verify-hint', 'aria-describedby']
  .map(function (name) { return made.getAttribute(name) })`;
const NOTHING = [null, null, null, null, 'hint'];

/** What the first row's field is at when it is copied. */
const LIVES: Record<string, { readonly address: string; readonly state: string }> = {
  'rejected with a suggestion': { address: NO, state: 'rejected' },
  'accepted with a hint': { address: JOE, state: 'accepted' },
  'being verified': { address: 'held@example.com', state: 'verifying' },
};

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable({ did_you_mean: JOE }));
  service.hold('held@example.com');
});

const HINTED = { options: { allow: { role: 'warn' } } };

test.describe('a copy of a row whose field is', () => {
  for (const [what, { address, state }] of Object.entries(LIVES)) {
    for (const [how, copy] of Object.entries({
      'cloneNode()': `var row = document.querySelector('.row').cloneNode(true); rows.appendChild(row);
        made = row.querySelector('input')`,
      innerHTML: `rows.insertAdjacentHTML('beforeend', rows.innerHTML);
        made = rows.lastElementChild.querySelector('input')`,
    })) {
      test(`${what}, made by ${how}, is bare within a quarter of a second`, async ({
        page,
        service,
        widgetPage,
      }) => {
        service.answer(JOE, deliverable({ role: true }));
        await widgetPage.open(ROWS, HINTED);
        await widgetPage.enter(address);
        await widgetPage.expectState(state);
        const before = await page.evaluate(`first = made = email; ${OURS}`);
        await page.evaluate(copy);
        await widgetPage.pass(250);
        expect(await page.evaluate(OURS)).toEqual(NOTHING);
        expect(await page.evaluate(`made = first; ${OURS}`)).toEqual(before);
      });
    }
  }
});

test('a row that was entered, and then cloned, is described by its own status only', async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(ROWS);
  await widgetPage.email.focus();
  await expect(widgetPage.email).toHaveAttribute('aria-describedby', /^hint email-verify-status-\d+$/);
  await page.evaluate(`made = rows.appendChild(document.querySelector('.row').cloneNode(true)).firstChild;
    made.id = 'copy'`);
  await widgetPage.pass(250);
  expect(await page.evaluate(OURS)).toEqual(NOTHING);
  const copy = page.locator('#copy');
  await widgetPage.enter(NO, copy);
  await widgetPage.expectState('rejected', copy);
  await expect(await widgetPage.statusOf(copy)).toContainText('Did you mean');
  await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText('');
});

for (const [when, { pause, look }] of Object.entries({
  'at once': { pause: 0, look: (widgetPage: WidgetPage) => widgetPage.pass(250) },
  // The widget has let go of everything by then, and looks at nothing more.
  'much later, at its first contact': {
    pause: 1_000,
    look: (widgetPage: WidgetPage) => widgetPage.email.evaluate((input) => input.focus()),
  },
})) {
  test(`markup that was saved and is put back is bare ${when}`, async ({ page, service, widgetPage }) => {
    service.answer(NO, undeliverable());
    await widgetPage.open(ROWS);
    await widgetPage.enter(NO);
    await widgetPage.expectState('rejected');
    const putBack = `rows.innerHTML = saved; made = document.getElementById('email')`;
    await page.evaluate(`saved = rows.innerHTML; rows.textContent = ''; ${pause ? '' : putBack}`);
    if (pause) {
      await widgetPage.settle(pause);
      await page.evaluate(putBack);
    }
    await look(widgetPage);
    expect(await page.evaluate(`${OURS}.slice(0, 4)`)).toEqual(NOTHING.slice(0, 4));
    await widgetPage.enter(NO);
    await widgetPage.expectState('rejected');
    await expect(widgetPage.email).toHaveAttribute('aria-describedby', /^hint email-verify-status-\d+$/);
    await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText(TEXTS.invalid);
  });
}

test('a copy in an open shadow root is bare at its first contact', async ({ page, widgetPage }) => {
  await widgetPage.open(`${ROWS}<div id="host"></div>`);
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await page.evaluate(`host.attachShadow({ mode: 'open' }).innerHTML = rows.innerHTML;
    made = host.shadowRoot.querySelector('input'); made.id = 'copy'; made.focus()`);
  expect(await page.evaluate(`${OURS}.slice(0, 4)`)).toEqual([null, null, null, null]);
  await expect(page.locator('#copy')).toHaveAttribute(
    'aria-describedby',
    /^hint( email-verify-status-\d+)?$/,
  );
  const own = await widgetPage.statusOf(widgetPage.email);
  expect(await page.locator('#copy').getAttribute('aria-describedby')).not.toContain(
    (await own.getAttribute('id')) as string,
  );
});

test("what a row has of the page's own stays on its copy", async ({ page, widgetPage }) => {
  await widgetPage.open(
    ROWS.replace('aria-describedby="hint"', 'aria-describedby="hint" aria-invalid="false" data-row="1"'),
  );
  // Never in use: nothing of ours is on it.
  await page.evaluate(`made = rows.appendChild(document.querySelector('.row').cloneNode(true)).firstChild;
    made.id = 'copy'`);
  await widgetPage.email.focus();
  await widgetPage.settle(500);
  expect(await page.evaluate(OURS)).toEqual(['false', null, null, null, 'hint']);
});
