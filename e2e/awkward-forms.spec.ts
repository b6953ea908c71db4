/** Pages that do more with their forms than submit them. Each was once a bug. */
import {
  deliverable,
  expect,
  JOE,
  NO,
  PATIENT,
  rateLimited,
  TEXTS,
  test,
  undeliverable,
} from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const form = (content: string) => `<form id="form" action="/submit" method="post">${content}</form>`;
const INPUT = '<input id="email" name="email" type="email">';
const SEND = '<button id="send" name="via" value="button">Send</button>';

/** Types, and presses something before the verdict. */
async function pressWhilePending(widgetPage: WidgetPage, press: () => Promise<void>): Promise<void> {
  widgetPage.service.hold();
  // Key by key, because fill() fires `change` itself, so that Enter would not fire it again.
  await widgetPage.email.pressSequentially(JOE);
  await press();
  await widgetPage.service.nextRequest();
  await widgetPage.expectSubmissions(0, 300);
  widgetPage.service.release();
  await widgetPage.expectState('accepted');
}

/** Submits while the verdict is pending. Meanwhile, the page renders the input again, with this address in it. */
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

test.describe('holds a submission and carries it out', () => {
  const PAGES: Record<string, string> = {
    'from within a fieldset': form(`<fieldset><legend>You</legend>${INPUT}${SEND}</fieldset>`),
    'where the page sets a custom validity on invalid events, and clears it on input': form(
      `<input id="email" name="email" type="email"
        oninvalid="this.setCustomValidity('Please enter an email')" oninput="this.setCustomValidity('')">${SEND}`,
    ),
    'that a type=button starts': form(
      `${INPUT}<button id="send" type="button" onclick="this.form.requestSubmit()">Send</button>`,
    ),
    'that a click handler starts instead of the default': form(
      `${INPUT}<button id="send" onclick="event.preventDefault(); this.form.requestSubmit()">Send</button>`,
    ),
  };
  for (const [what, body] of Object.entries(PAGES)) {
    test(what, async ({ page, widgetPage }) => {
      await widgetPage.open(body, PATIENT);
      await pressWhilePending(widgetPage, () => widgetPage.send.click());
      expect(await widgetPage.sentOnce()).toMatchObject({ email: JOE });
      expect(await page.evaluate(() => window.e2e.submits)).toHaveLength(1);
    });
  }

  test('whose input the page renders again meanwhile', async ({ service, widgetPage }) => {
    await sendAndRenderAnew(widgetPage, JOE);
    await widgetPage.expectSubmissions(0, 300);
    service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE, via: 'button' });
  });

  test('whose submitter a script passes twice', async ({ page, service, widgetPage }) => {
    service.hold();
    await widgetPage.open(form(INPUT + SEND), PATIENT);
    await widgetPage.email.fill(JOE);
    await page.evaluate(() => {
      const send = document.getElementById('send') as HTMLButtonElement;
      send.form?.requestSubmit(send);
      send.form?.requestSubmit(send);
    });
    await service.nextRequest();
    service.release();
    expect(await widgetPage.sent()).toEqual({ email: JOE, via: 'button' });
  });

  test('whose button the page disables right after the press', async ({ service, widgetPage }) => {
    await widgetPage.sendWhilePending(
      JOE,
      form(
        `${INPUT}<button id="send" name="via" value="button"
          onclick="var button = this; setTimeout(function () { button.disabled = true }, 0)">Send</button>`,
      ),
    );
    await expect(widgetPage.send).toBeDisabled();
    service.release();
    expect(await widgetPage.sent()).toEqual({ email: JOE, via: 'button' });
    await expect(widgetPage.send).toBeDisabled();
  });

  test('while the visitor goes on to an input outside the form', async ({ page, service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, `${form(INPUT + SEND)}<input id="other" type="email">`);
    await page.locator('#other').pressSequentially('jane');
    service.release();
    expect(await widgetPage.sent()).toEqual({ email: JOE, via: 'button' });
  });

  test('that a handler of Enter starts', async ({ widgetPage }) => {
    await widgetPage.open(
      form(
        `<input id="email" name="email" type="email"
          onkeydown="if (event.key === 'Enter') { event.preventDefault(); this.form.requestSubmit() }">`,
      ),
      PATIENT,
    );
    await pressWhilePending(widgetPage, () => widgetPage.email.press('Enter'));
    expect(await widgetPage.sent()).toEqual({ email: JOE });
  });
});

test.describe('submits nothing if a page only checks validity', () => {
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
      await widgetPage.open(body, PATIENT);
      await pressWhilePending(widgetPage, () => widgetPage.email.press('Enter'));
      await widgetPage.expectSubmissions(0, 2_000);
    });
  }
});

test('verifies what a script puts in place of an accepted value before sending', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  service.hold();
  await widgetPage.open(form(INPUT + SEND), PATIENT);
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

test('does not send an input that is rendered again with a rejected address', async ({ widgetPage }) => {
  await sendAndRenderAnew(widgetPage, NO);
  await widgetPage.release('rejected');
  await widgetPage.expectSubmissions(0, 2_000);
  await expect(widgetPage.email).toBeFocused();
});

for (const [what, elsewhere] of Object.entries({
  'another field': '<input id="elsewhere">',
  'a link': '<a id="elsewhere" href="#help">Help</a>',
})) {
  test(`does not pull back a visitor who has gone to ${what} before a rejection`, async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(NO, form(INPUT + SEND) + elsewhere);
    await widgetPage.page.locator('#elsewhere').focus();
    await widgetPage.release('rejected');
    await widgetPage.expectSubmissions(0, 1_000);
    await expect(widgetPage.page.locator('#elsewhere')).toBeFocused();
  });
}

test('removes novalidate again if the page sets it before requestSubmit()', async ({ page, widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND));
  await widgetPage.enterRejected(NO);
  await page.evaluate(() => {
    const found = document.getElementById('form') as HTMLFormElement;
    found.noValidate = true;
    found.requestSubmit();
  });
  await expect(page.locator('#form')).not.toHaveAttribute('novalidate');
  await expect(widgetPage.email).toBeFocused();
  await widgetPage.expectSubmissions(0, 1_000);
});

test('blocks and focuses without an empty bubble if a rejection has no message', async ({ widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND), { options: { messages: { ...TEXTS, invalid: '' } } });
  await widgetPage.page.evaluate(() => {
    window.addEventListener(
      'invalid',
      (event) => setTimeout(() => Object.assign(window, { bubble: !event.defaultPrevented }), 0),
      true,
    );
  });
  await widgetPage.enterRejected(NO);
  await expect(widgetPage.status).toHaveText('');
  await widgetPage.send.click();
  await widgetPage.expectSubmissions(0, 500);
  expect(await widgetPage.page.evaluate(() => Reflect.get(window, 'bubble'))).toBe(false);
  await expect(widgetPage.email).toBeFocused();
});

test('focuses the first of two rejected inputs without a message', async ({ page, widgetPage }) => {
  await widgetPage.open(form(`${INPUT}<input id="second" name="second" type="email">${SEND}`), {
    options: { messages: { ...TEXTS, invalid: '' } },
  });
  await widgetPage.enter(NO);
  await widgetPage.enterRejected(NO, page.locator('#second'));
  await widgetPage.send.click();
  await expect(widgetPage.email).toBeFocused();
});

test('leaves the focus in place for a held click if "verifying" has no message', async ({ widgetPage }) => {
  await widgetPage.sendWhilePending(JOE, form(INPUT + SEND), {
    options: { messages: { ...TEXTS, verifying: '' } },
  });
  await expect(widgetPage.send).toBeFocused();
  widgetPage.service.release();
  await widgetPage.sent();
});

test("shows the bubble for a page's own custom validity that is only a space", async ({ widgetPage }) => {
  await widgetPage.open(form(`${INPUT}<input id="note">${SEND}`));
  await widgetPage.page.evaluate(() => {
    const note = document.getElementById('note') as HTMLInputElement;
    note.setCustomValidity(' ');
    note.addEventListener('invalid', (event) => Object.assign(window, { bubble: !event.defaultPrevented }));
  });
  await widgetPage.send.click();
  await expect(widgetPage.note).toBeFocused();
  expect(await widgetPage.page.evaluate(() => Reflect.get(window, 'bubble'))).toBe(true);
});

test.describe('verifies again when a visitor over the limit submits again', () => {
  const PAGES: Record<string, [body: string, press: (widgetPage: WidgetPage) => Promise<void>]> = {
    'by Enter in a form without a button': [form(INPUT), ({ email }) => email.press('Enter')],
    'by a type=button that starts the submission': [
      form(`${INPUT}<button id="send" type="button" onclick="this.form.requestSubmit()">Send</button>`),
      ({ send }) => send.click(),
    ],
  };
  for (const [what, [body, press]] of Object.entries(PAGES)) {
    test(what, async ({ service, widgetPage }) => {
      service.answer(JOE, rateLimited(), deliverable());
      await widgetPage.open(body, { options: { blockOnRateLimit: true } });
      await widgetPage.enter(JOE);
      await widgetPage.expectCustomValidity(TEXTS.rateLimited);
      await press(widgetPage);
      expect(await widgetPage.sent()).toMatchObject({ email: JOE });
      expect(service.requests).toHaveLength(2);
    });
  }
});

test('moves no focus to a rejection without a message if a page checks validity', async ({ widgetPage }) => {
  const { page } = widgetPage;
  await widgetPage.open(form(INPUT + SEND), { options: { messages: { ...TEXTS, invalid: '' } } });
  await widgetPage.enterRejected(NO);
  expect(
    await page.evaluate(() => (document.getElementById('form') as HTMLFormElement).checkValidity()),
  ).toBe(false);
  await expect(widgetPage.email).not.toBeFocused();
});

test('does not lock the form with a rejected address in closed details', async ({ page, widgetPage }) => {
  await widgetPage.open(form(`<details open><summary>Contact</summary>${INPUT}</details>${SEND}`));
  await widgetPage.enterRejected(NO);
  await page.locator('summary').click();
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('does not block by an input that is not an email input any more', async ({ page, widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND));
  await widgetPage.enterRejected(NO);
  await page.evaluate(() => {
    (document.getElementById('email') as HTMLInputElement).type = 'text';
  });
  await widgetPage.expectState(null);
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('verifies a value again after the page has tidied it up on change', async ({ service, widgetPage }) => {
  service.answer('NO@example.com', undeliverable());
  await widgetPage.open(
    form(
      `<input id="email" name="email" type="email" onchange="this.value = this.value.toLowerCase()">${SEND}`,
    ),
  );
  await widgetPage.email.focus();
  // At once, because a machine may stall for longer than the delay between two keys.
  await widgetPage.page.keyboard.insertText('NO@example.com');
  await widgetPage.nextEvent('verified');
  await widgetPage.email.press('Tab');
  expect((await service.nextRequest()).email).toBe('NO@example.com');
  expect((await service.nextRequest()).email).toBe(NO);
  await widgetPage.expectState('rejected');
});

test('leaves nothing behind if a listener destroys the widget', async ({ page, widgetPage }) => {
  // The verdict comes in the middle of the press, which uses the field afterwards.
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

test('completes the verdict and blocks the form although a listener throws', async ({ widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND), {
    after: `['verifying', 'verified'].forEach(function (type) {
      document.addEventListener(type, function () { throw new Error('a listener of the page') });
    });`,
  });
  await widgetPage.enterRejected(NO);
  await widgetPage.expectCustomValidity(TEXTS.invalid);
  expect(widgetPage.pageErrors.splice(0)).toHaveLength(2);
});

test('ignores a listener of verifying that requests the same verification again', async ({ widgetPage }) => {
  await widgetPage.open(form(INPUT + SEND));
  await widgetPage.page.evaluate(() => {
    const { emailVerify } = window as unknown as { emailVerify: (...command: unknown[]) => void };
    document.addEventListener('verifying', ({ target }) => {
      emailVerify('verify', target);
      emailVerify('method', 'POST');
    });
  });
  await widgetPage.enterAccepted(JOE);
  await widgetPage.pass(5_000);
  expect(await widgetPage.events('verifying')).toHaveLength(1);
  expect(await widgetPage.events('verified')).toHaveLength(1);
  expect(widgetPage.service.requests).toHaveLength(1);
});

test('puts the floating suggestion between the input and the next by keyboard', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
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
