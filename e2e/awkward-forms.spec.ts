/** Pages that do more with their forms than submit them: each has held up, lost or surprised a visitor once. */
import { deliverable, expect, rateLimited, TEXTS, test, undeliverable } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
});

const form = (content: string) => `<form id="form" action="/submit" method="post">${content}</form>`;
const INPUT = '<input id="email" name="email" type="email">';
const SEND = '<button id="send" name="via" value="button">Send</button>';

/** Types, and presses something before the verdict is there. */
async function pressWhilePending(widgetPage: WidgetPage, press: () => Promise<void>): Promise<void> {
  widgetPage.service.hold();
  // Key by key: fill() fires `change` itself, and Enter would not any more.
  await widgetPage.email.pressSequentially(JOE);
  await press();
  await widgetPage.service.nextRequest();
  await widgetPage.expectSubmissions(0, 300);
  widgetPage.service.release();
  await widgetPage.expectState('accepted');
}

/** Sends while the verdict is pending, and has the page render the input anew meanwhile, with this address in it. */
async function sendAndRenderAnew(widgetPage: WidgetPage, address: string): Promise<void> {
  const { page } = widgetPage;
  await widgetPage.sendWhilePending(JOE, form(`<div id="field">${INPUT}</div>${SEND}`));
  await page.evaluate(
    ([html, value]) => {
      (document.getElementById('field') as Element).innerHTML = html;
      (document.getElementById('email') as HTMLInputElement).value = value;
    },
    [INPUT, address] as const,
  );
}

test.describe('a submission is held and carried out', () => {
  const PAGES: Record<string, string> = {
    'from within a fieldset': form(`<fieldset><legend>You</legend>${INPUT}${SEND}</fieldset>`),
    'where the page sets a custom validity on invalid events, and clears it on input': form(
      `<input id="email" name="email" type="email"
        oninvalid="this.setCustomValidity('Please enter an email')" oninput="this.setCustomValidity('')">${SEND}`,
    ),
    'that a type=button asks for': form(
      `${INPUT}<button id="send" type="button" onclick="this.form.requestSubmit()">Send</button>`,
    ),
    'that a click handler asks for in the place of the default': form(
      `${INPUT}<button id="send" onclick="event.preventDefault(); this.form.requestSubmit()">Send</button>`,
    ),
  };
  for (const [what, body] of Object.entries(PAGES)) {
    test(what, async ({ page, site, widgetPage }) => {
      await widgetPage.open(body);
      await pressWhilePending(widgetPage, () => widgetPage.send.click());
      expect((await site.submission()).fields).toMatchObject({ email: JOE });
      await widgetPage.expectSubmissions(1, 1_000);
      expect(await page.evaluate(() => window.e2e.submits)).toHaveLength(1);
    });
  }

  test('whose input the page renders anew meanwhile', async ({ service, site, widgetPage }) => {
    await sendAndRenderAnew(widgetPage, JOE);
    await widgetPage.expectSubmissions(0, 300);
    service.release();
    expect((await site.submission()).fields).toEqual({ email: JOE, via: 'button' });
    await widgetPage.expectSubmissions(1, 1_000);
  });

  test('whose submitter a script names twice', async ({ page, service, site, widgetPage }) => {
    service.hold();
    await widgetPage.open(form(INPUT + SEND));
    await widgetPage.email.fill(JOE);
    await page.evaluate(() => {
      const send = document.getElementById('send') as HTMLButtonElement;
      send.form?.requestSubmit(send);
      send.form?.requestSubmit(send);
    });
    await service.nextRequest();
    service.release();
    expect((await site.submission()).fields).toEqual({ email: JOE, via: 'button' });
  });

  test('whose button the page disables right after the press', async ({ service, site, widgetPage }) => {
    service.hold();
    await widgetPage.open(
      form(
        `${INPUT}<button id="send" name="via" value="button"
          onclick="var button = this; setTimeout(function () { button.disabled = true }, 0)">Send</button>`,
      ),
    );
    await widgetPage.email.fill(JOE);
    await widgetPage.send.click();
    await service.nextRequest();
    await expect(widgetPage.send).toBeDisabled();
    service.release();
    expect((await site.submission()).fields).toEqual({ email: JOE, via: 'button' });
    await expect(widgetPage.send).toBeDisabled();
  });

  test('while the visitor goes on to an address that is in no form', async ({
    page,
    service,
    site,
    widgetPage,
  }) => {
    await widgetPage.sendWhilePending(JOE, `${form(INPUT + SEND)}<input id="other" type="email">`);
    await page.locator('#other').pressSequentially('jane');
    service.release();
    expect((await site.submission()).fields).toEqual({ email: JOE, via: 'button' });
  });

  test('that a handler of Enter asks for', async ({ site, widgetPage }) => {
    await widgetPage.open(
      form(
        `<input id="email" name="email" type="email"
          onkeydown="if (event.key === 'Enter') { event.preventDefault(); this.form.requestSubmit() }">`,
      ),
    );
    await pressWhilePending(widgetPage, () => widgetPage.email.press('Enter'));
    expect((await site.submission()).fields).toEqual({ email: JOE });
  });
});

test.describe('asking for validity alone submits nothing', () => {
  const PAGES: Record<string, string> = {
    'a change listener, and a button that is still disabled': form(
      `<input id="email" name="email" type="email" onchange="this.form.checkValidity()"><button disabled>Send</button>`,
    ),
    'a change listener, and two fields without a button': form(
      `<input id="email" name="email" type="email" onchange="this.reportValidity()"><input name="other">`,
    ),
  };
  for (const [what, body] of Object.entries(PAGES)) {
    test(what, async ({ widgetPage }) => {
      await widgetPage.open(body);
      await pressWhilePending(widgetPage, () => widgetPage.email.press('Enter'));
      await widgetPage.expectSubmissions(0, 2_000);
    });
  }
});

test('a value that a script puts in the place of the accepted one is asked for before it is sent', async ({
  page,
  service,
  widgetPage,
}) => {
  service.hold();
  await widgetPage.open(form(INPUT + SEND));
  await page.evaluate((value) => {
    const input = document.getElementById('email') as HTMLInputElement;
    input.addEventListener('verified', () => {
      input.value = value;
    });
  }, NO);
  await widgetPage.email.fill(JOE);
  await widgetPage.send.click();
  await service.nextRequest();
  service.release();
  expect((await service.nextRequest()).email).toBe(NO);
  await widgetPage.expectState('rejected');
  await widgetPage.expectSubmissions(0, 2_000);
});

test('an input rendered anew with a rejected address is not sent', async ({ service, widgetPage }) => {
  await sendAndRenderAnew(widgetPage, NO);
  service.release();
  await widgetPage.expectState('rejected');
  await widgetPage.expectSubmissions(0, 2_000);
  await expect(widgetPage.email).toBeFocused();
});

for (const [what, elsewhere] of Object.entries({
  'another field': '<input id="elsewhere">',
  'a link': '<a id="elsewhere" href="#help">Help</a>',
})) {
  test(`a rejection does not pull back a visitor who has gone to ${what} while it was awaited`, async ({
    page,
    service,
    widgetPage,
  }) => {
    await widgetPage.sendWhilePending(NO, form(INPUT + SEND) + elsewhere);
    await page.locator('#elsewhere').focus();
    service.release();
    await widgetPage.expectState('rejected');
    await widgetPage.expectSubmissions(0, 1_000);
    await expect(page.locator('#elsewhere')).toBeFocused();
  });
}

test('novalidate set anew before the page submits by requestSubmit() is taken again', async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(form(INPUT + SEND));
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await page.evaluate(() => {
    const found = document.getElementById('form') as HTMLFormElement;
    found.noValidate = true;
    found.requestSubmit();
  });
  await expect(page.locator('#form')).not.toHaveAttribute('novalidate');
  await expect(widgetPage.email).toBeFocused();
  await widgetPage.expectSubmissions(0, 1_000);
});

test('a rejection without words blocks without an empty bubble, and leads to the input', async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(form(INPUT + SEND), { options: { messages: { ...TEXTS, invalid: '' } } });
  await page.evaluate(() => {
    window.addEventListener(
      'invalid',
      (event) => setTimeout(() => Object.assign(window, { bubble: !event.defaultPrevented }), 0),
      true,
    );
  });
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await expect(widgetPage.status).toHaveText('');
  await widgetPage.send.click();
  await widgetPage.expectSubmissions(0, 500);
  expect(await page.evaluate(() => Reflect.get(window, 'bubble'))).toBe(false);
  await expect(widgetPage.email).toBeFocused();
});

test('of two rejections without words, the visitor is led to the first', async ({ page, widgetPage }) => {
  await widgetPage.open(form(`${INPUT}<input id="second" name="second" type="email">${SEND}`), {
    options: { messages: { ...TEXTS, invalid: '' } },
  });
  await widgetPage.enter(NO);
  await widgetPage.enter(NO, page.locator('#second'));
  await widgetPage.expectState('rejected', page.locator('#second'));
  await widgetPage.send.click();
  await expect(widgetPage.email).toBeFocused();
});

test('where no words are said while verifying, a held click leaves the focus where it is', async ({
  service,
  site,
  widgetPage,
}) => {
  await widgetPage.sendWhilePending(JOE, form(INPUT + SEND), {
    options: { messages: { ...TEXTS, verifying: '' } },
  });
  await expect(widgetPage.send).toBeFocused();
  service.release();
  await site.submission();
});

test("a custom validity of the page's own that is but a space shows its bubble as ever", async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(form(`${INPUT}<input id="note">${SEND}`));
  await page.evaluate(() => {
    const note = document.getElementById('note') as HTMLInputElement;
    note.setCustomValidity(' ');
    note.addEventListener('invalid', (event) => Object.assign(window, { bubble: !event.defaultPrevented }));
  });
  await widgetPage.send.click();
  await expect(page.locator('#note')).toBeFocused();
  expect(await page.evaluate(() => Reflect.get(window, 'bubble'))).toBe(true);
});

test.describe('a visitor over the limit is asked for once more', () => {
  const PAGES: Record<string, [body: string, press: (widgetPage: WidgetPage) => Promise<void>]> = {
    'by Enter in a form without a button': [form(INPUT), ({ email }) => email.press('Enter')],
    'by a type=button that asks for the submission': [
      form(`${INPUT}<button id="send" type="button" onclick="this.form.requestSubmit()">Send</button>`),
      ({ send }) => send.click(),
    ],
  };
  for (const [what, [body, press]] of Object.entries(PAGES)) {
    test(what, async ({ service, site, widgetPage }) => {
      service.answer(JOE, rateLimited(), deliverable());
      await widgetPage.open(body, { options: { blockOnRateLimit: true } });
      await widgetPage.enter(JOE);
      await widgetPage.expectCustomValidity(TEXTS.rateLimited);
      await press(widgetPage);
      expect((await site.submission()).fields).toMatchObject({ email: JOE });
      expect(service.requests).toHaveLength(2);
    });
  }
});

test('a page that only asks for validity moves no focus to a rejection without words', async ({
  page,
  widgetPage,
}) => {
  await widgetPage.open(form(INPUT + SEND), { options: { messages: { ...TEXTS, invalid: '' } } });
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  expect(
    await page.evaluate(() => (document.getElementById('form') as HTMLFormElement).checkValidity()),
  ).toBe(false);
  await expect(widgetPage.email).not.toBeFocused();
});

test('a rejected address in closed details does not lock the form', async ({ page, site, widgetPage }) => {
  await widgetPage.open(form(`<details open><summary>Contact</summary>${INPUT}</details>${SEND}`));
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await page.locator('summary').click();
  await widgetPage.send.click();
  expect((await site.submission()).fields).toMatchObject({ email: NO });
});

test('an input that is an email input no longer blocks nothing', async ({ page, site, widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND));
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await page.evaluate(() => {
    (document.getElementById('email') as HTMLInputElement).type = 'text';
  });
  await widgetPage.expectState(null);
  await widgetPage.send.click();
  expect((await site.submission()).fields).toMatchObject({ email: NO });
});

test('a value that the page tidies up on change is judged anew', async ({ service, widgetPage }) => {
  service.answer('NO@example.com', undeliverable());
  await widgetPage.open(
    form(
      `<input id="email" name="email" type="email" onchange="this.value = this.value.toLowerCase()">${SEND}`,
    ),
  );
  await widgetPage.email.pressSequentially('NO@example.com');
  await widgetPage.nextEvent('verified');
  await widgetPage.email.press('Tab');
  expect((await service.nextRequest()).email).toBe('NO@example.com');
  expect((await service.nextRequest()).email).toBe(NO);
  await widgetPage.expectState('rejected');
});

test('a listener that destroys the widget leaves nothing of it behind', async ({ page, widgetPage }) => {
  // Judged in the middle of the press, which goes on with the field afterwards.
  await widgetPage.open(form(`<input id="email" name="email" type="email" value="nonsense">${SEND}`));
  await page.evaluate(() => {
    const { emailVerify } = window as unknown as { emailVerify: (command: string) => void };
    document.addEventListener('verified', () => emailVerify('destroy'));
  });
  await widgetPage.send.click();
  await widgetPage.nextEvent('verified');
  await expect(widgetPage.status).toHaveCount(0);
  expect(await widgetPage.email.getAttribute('aria-describedby')).toBe(null);
  await widgetPage.expectCustomValidity('');
});

test('a listener of verifying that asks for the same again asks in vain', async ({
  page,
  service,
  widgetPage,
}) => {
  await widgetPage.open(form(INPUT + SEND));
  await page.evaluate(() => {
    const { emailVerify } = window as unknown as { emailVerify: (...command: unknown[]) => void };
    document.addEventListener('verifying', ({ target }) => {
      emailVerify('verify', target);
      emailVerify('method', 'POST');
    });
  });
  await widgetPage.enter(JOE);
  await widgetPage.expectState('accepted');
  await widgetPage.pass(5_000);
  expect(await widgetPage.events('verifying')).toHaveLength(1);
  expect(await widgetPage.events('verified')).toHaveLength(1);
  expect(service.requests).toHaveLength(1);
});

test('by keyboard, the floating suggestion comes right after the input, and what follows comes after it', async ({
  page,
  service,
  widgetPage,
}) => {
  service.answer('joe@gmial.com', deliverable({ did_you_mean: 'joe@gmail.com' }));
  await widgetPage.open(
    `${form(`${INPUT}<input id="next">`)}<div style="height: 3000px"></div><a href="#">End</a>`,
  );
  await widgetPage.email.pressSequentially('joe@gmial.com');
  const suggestion = page.getByRole('button', { name: 'joe@gmail.com' });
  await expect(suggestion).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(suggestion).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(widgetPage.email).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.locator('#next')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(suggestion).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(widgetPage.email).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(widgetPage.email).toHaveValue('joe@gmail.com');
  await expect(widgetPage.email).toBeFocused();
  await expect(widgetPage.status).not.toContainText(TEXTS.verifying);
});
