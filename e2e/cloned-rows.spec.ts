/**
 * Rows that a page clones, or removes and adds again. The copies must not keep what the widget has written on the
 * original.
 */
import { deliverable, expect, JOE, NO, PATIENT, TEXTS, test, undeliverable } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const ROWS = `<form id="form"><p id="hint">One address a row.</p>
  <div id="rows"><p class="row"><input id="email" name="email" type="email" aria-describedby="hint"></p></div></form>`;

/** The widget's attributes and the description. */
const OURS = `['aria-invalid', 'aria-busy', 'data-email-verify', 'data-email-verify-hint', 'aria-describedby']
  .map(function (name) { return made.getAttribute(name) })`;
const NOTHING = [null, null, null, null, 'hint'];

/** The state of the first row's field when it is copied. */
const LIVES: Record<string, { readonly address: string; readonly state: string }> = {
  'rejected with a suggestion': { address: NO, state: 'rejected' },
  'accepted with a hint': { address: JOE, state: 'accepted' },
  'being verified': { address: 'held@example.com', state: 'verifying' },
};

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable({ did_you_mean: JOE }));
  service.hold('held@example.com');
});

const HINTED = { options: { ...PATIENT.options, allow: { role: 'warn' } } };

test.describe('removes the widget’s attributes from a copy of a row whose field is', () => {
  for (const [what, { address, state }] of Object.entries(LIVES)) {
    for (const [how, copy] of Object.entries({
      'cloneNode()': `var row = document.querySelector('.row').cloneNode(true); rows.appendChild(row);
        made = row.querySelector('input')`,
      innerHTML: `rows.insertAdjacentHTML('beforeend', rows.innerHTML);
        made = rows.lastElementChild.querySelector('input')`,
    })) {
      test(`${what}, made by ${how}, within a quarter of a second`, async ({ page, service, widgetPage }) => {
        service.answer(JOE, deliverable({ role: true }));
        await widgetPage.open(ROWS, HINTED);
        await widgetPage.enter(address);
        await widgetPage.expectState(state);
        // It comes with the second file, perhaps after the verdict.
        await expect(widgetPage.email).toHaveAttribute('aria-describedby', /email-verify-status/);
        const before = await page.evaluate(`first = made = email; ${OURS}`);
        await page.evaluate(copy);
        await widgetPage.pass(250);
        expect(await page.evaluate(OURS)).toEqual(NOTHING);
        expect(await page.evaluate(`made = first; ${OURS}`)).toEqual(before);
      });
    }
  }
});

test('describes a row that was focused, and then cloned, by its own status only', async ({ widgetPage }) => {
  await widgetPage.open(ROWS);
  await widgetPage.email.focus();
  await expect(widgetPage.email).toHaveAttribute('aria-describedby', /^hint email-verify-status-\d+$/);
  await widgetPage.page.evaluate(`made = rows.appendChild(document.querySelector('.row').cloneNode(true)).firstChild;
    made.id = 'copy'`);
  await widgetPage.pass(250);
  expect(await widgetPage.page.evaluate(OURS)).toEqual(NOTHING);
  const copy = widgetPage.page.locator('#copy');
  await widgetPage.enterRejected(NO, copy);
  await expect(await widgetPage.statusOf(copy)).toContainText('Did you mean');
  await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText('');
});

for (const [when, { pause, look }] of Object.entries({
  'at once': { pause: 0, look: (widgetPage: WidgetPage) => widgetPage.pass(250) },
  // The widget has released everything by then, and checks nothing more.
  'much later, at its first contact': {
    pause: 1_000,
    look: (widgetPage: WidgetPage) => widgetPage.email.evaluate((input) => input.focus()),
  },
})) {
  test(`removes the widget’s attributes from markup saved and restored ${when}`, async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    service.answer(NO, undeliverable());
    await widgetPage.open(ROWS);
    await widgetPage.enterRejected(NO);
    const putBack = `rows.innerHTML = saved; made = document.getElementById('email')`;
    await page.evaluate(`saved = rows.innerHTML; rows.textContent = ''; ${pause ? '' : putBack}`);
    if (pause) {
      await widgetPage.settle(pause);
      await page.evaluate(putBack);
    }
    await look(widgetPage);
    expect(await page.evaluate(`${OURS}.slice(0, 4)`)).toEqual(NOTHING.slice(0, 4));
    await widgetPage.enterRejected(NO);
    await expect(widgetPage.email).toHaveAttribute('aria-describedby', /^hint email-verify-status-\d+$/);
    await expect(await widgetPage.statusOf(widgetPage.email)).toHaveText(TEXTS.invalid);
  });
}

test('removes attributes from a copy in a shadow root at its first contact', async ({ page, widgetPage }) => {
  await widgetPage.open(`${ROWS}<div id="host"></div>`);
  await widgetPage.enterRejected(NO);
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

test("keeps the page's own attributes on a copy of a row", async ({ page, widgetPage }) => {
  await widgetPage.open(
    ROWS.replace('aria-describedby="hint"', 'aria-describedby="hint" aria-invalid="false" data-row="1"'),
  );
  // The row was never in use, so it has no attributes of the widget.
  await page.evaluate(`made = rows.appendChild(document.querySelector('.row').cloneNode(true)).firstChild;
    made.id = 'copy'`);
  await widgetPage.email.focus();
  await widgetPage.settle(500);
  expect(await page.evaluate(OURS)).toEqual(['false', null, null, null, 'hint']);
});
