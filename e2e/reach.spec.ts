/** A rejected address that the visitor cannot see or reach, and so cannot correct, must not lock the form. */
import { isLong } from '../test/long.mjs';
import { expect, NO, TEXTS, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const INPUT = '<input id="email" name="email" type="email">';
const SEND = '<button id="send">Send</button>';

/** The part with the input, and the button outside it. */
const form = (part: string) =>
  `<form id="form" action="/submit" method="post"><div id="part">${part}</div><p><input id="note" name="note"></p>${SEND}</form>`;

/** A component that shows its content in a slot of its own section. */
const SLOTTED = form(`<div id="host">${INPUT}</div>`);
const MAKE_SLOT = `host.attachShadow({ mode: 'open' }).innerHTML = '<section><slot></slot></section>';`;

interface Part {
  readonly body: string;
  readonly after?: string;
  readonly hide: string;
  readonly show: string;
}

const PARTS: Record<string, Part> = {
  'visibility: hidden': {
    body: form(INPUT),
    hide: `part.style.visibility = 'hidden'`,
    show: `part.style.visibility = ''`,
  },
  'inert on the input': { body: form(INPUT), hide: 'email.inert = true', show: 'email.inert = false' },
  'inert on an ancestor': { body: form(INPUT), hide: 'part.inert = true', show: 'part.inert = false' },
  'inert on the ancestor of its slot': {
    body: SLOTTED,
    after: MAKE_SLOT,
    hide: `host.shadowRoot.querySelector('section').inert = true`,
    show: `host.shadowRoot.querySelector('section').inert = false`,
  },
};

async function reject(widgetPage: WidgetPage, { body, after }: Pick<Part, 'body' | 'after'>): Promise<void> {
  await widgetPage.open(body, after === undefined ? {} : { after });
  await widgetPage.enterRejected(NO);
  await widgetPage.expectCustomValidity(TEXTS.invalid);
}

/** The long run hides a part in each way. */
const WAYS = isLong ? Object.entries(PARTS) : Object.entries(PARTS).slice(0, 2);

for (const [what, part] of WAYS) {
  test.describe(`a rejected address in a part that is hidden by ${what}`, () => {
    test('does not block the form', async ({ page, widgetPage }) => {
      await reject(widgetPage, part);
      await page.evaluate(part.hide);
      await widgetPage.pass(250);
      await widgetPage.expectCustomValidity('');
      await widgetPage.send.click();
      expect(await widgetPage.sent()).toMatchObject({ email: NO });
    });

    test('does not block a press in the task that hides it', async ({ page, widgetPage }) => {
      await reject(widgetPage, part);
      await page.evaluate(`${part.hide}; send.click()`);
      expect(await widgetPage.sent()).toMatchObject({ email: NO });
    });

    test('blocks again within a quarter of a second after it comes back', async ({ page, widgetPage }) => {
      await reject(widgetPage, part);
      await page.evaluate(part.hide);
      await widgetPage.pass(250);
      await widgetPage.expectCustomValidity('');
      await page.evaluate(part.show);
      await widgetPage.pass(250);
      expect((await widgetPage.validity()).message).toBe(TEXTS.invalid);
      await widgetPage.send.click();
      await widgetPage.expectSubmissions(0, 1_000);
    });

    test('blocks a press in the task that shows it again', async ({ page, widgetPage }) => {
      await reject(widgetPage, part);
      await page.evaluate(part.hide);
      await widgetPage.pass(250);
      await widgetPage.expectCustomValidity('');
      await page.evaluate(`${part.show}; send.click()`);
      await widgetPage.expectSubmissions(0, 1_000);
    });
  });
}

test('does not block the form with a rejected address below an inert shadow host', async ({ widgetPage }) => {
  await widgetPage.open('<div id="host"></div>', {
    after: `host.attachShadow({ mode: 'open' }).innerHTML = '${form(INPUT)}';`,
  });
  await widgetPage.enterRejected(NO);
  await widgetPage.page.evaluate(`host.inert = true; host.shadowRoot.querySelector('form').requestSubmit()`);
  await widgetPage.expectSubmissions(0, 250);
  await widgetPage.expectCustomValidity('');
  await widgetPage.page.evaluate(`host.shadowRoot.querySelector('form').requestSubmit()`);
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('holds no submission for a pending address in an inert part', async ({ page, service, widgetPage }) => {
  service.hold();
  // With this long timeout, a submission that goes at once was not held.
  await widgetPage.open(form(INPUT), { options: { verificationTimeout: 600 } });
  await widgetPage.enter(NO);
  await service.nextRequest();
  await page.evaluate(`part.inert = true; send.click()`);
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('still blocks the form that a modal dialog makes inert', async ({ page, widgetPage }) => {
  await reject(widgetPage, { body: `${form(INPUT)}<dialog id="dialog">Wait</dialog>` });
  await page.evaluate('dialog.showModal()');
  await widgetPage.pass(250);
  await widgetPage.expectCustomValidity(TEXTS.invalid);
  await page.evaluate('form.requestSubmit()');
  await widgetPage.expectSubmissions(0, 1_000);
});
