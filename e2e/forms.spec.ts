/** The outcome of a submission: refused, held and carried out, dropped, or never touched. */

import { deliverable } from '../src/testing/replies.ts';
import { leaveOutFor } from './engines/differences.ts';
import {
  drop,
  expect,
  FORM,
  hang,
  JOE,
  NO,
  PATIENT,
  rateLimited,
  status,
  TEXTS,
  test,
  UNHURRIED,
  undeliverable,
} from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

/** A script of the page that sets a validity. */
const setValidity = (message: string) => `email.setCustomValidity('${message}')`;

/** A script of the page that counts how often the input is reported. */
const COUNT_REPORTS = `window.reported = 0; email.addEventListener('invalid', () => { reported += 1 })`;

/** The form with more at its end. */
const formWith = (more: string) => FORM.replace('</form>', `${more}</form>`);

const SECOND = formWith('<input id="second" name="second" type="email">');
/** A button that submits without validation. */
const WITH_SAVE = formWith('<button id="save" name="via" value="draft" formnovalidate>Save</button>');

/** The address is accepted, but what was submitted before is not sent. */
async function expectDropped(widgetPage: WidgetPage): Promise<void> {
  await widgetPage.release('accepted');
  await widgetPage.expectSubmissions(0, 2_000);
}

/** Runs inside the page. Checks at every frame, event and change whether the address counts as invalid. */
function watchForInvalid(): void {
  const input = document.getElementById('email') as HTMLInputElement;
  const flashes: string[] = [];
  let hasLeft = false;
  const look = (when: string) => {
    Object.assign(window, { looks: (Reflect.get(window, 'looks') ?? 0) + 1, flashes });
    if (input.validity.customError) flashes.push(`${when}: "${input.validationMessage}"`);
    if (input.hasAttribute('aria-invalid')) flashes.push(`${when}: aria-invalid`);
    // While the visitor types, the browser itself may call half an address invalid.
    if (hasLeft && input.matches(':invalid, :user-invalid')) flashes.push(`${when}: :invalid`);
  };
  for (const type of ['input', 'change', 'blur', 'focusout', 'focusin', 'invalid', 'verifying', 'verified']) {
    window.addEventListener(type, () => look(type), true);
    document.addEventListener(type, () => look(type));
  }
  input.addEventListener('blur', () => {
    hasLeft = true;
  });
  new MutationObserver(() => look('change')).observe(document, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  });
  const { setCustomValidity } = HTMLInputElement.prototype;
  HTMLInputElement.prototype.setCustomValidity = function (message) {
    setCustomValidity.call(this, message);
    look('custom validity');
  };
  const frame = () => {
    look('frame');
    requestAnimationFrame(frame);
  };
  frame();
}

test.describe('a rejected address', () => {
  test('stops the submission even when the page has cleared the validity', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enterRejected(NO);
    await page.evaluate(`send.addEventListener('click', () => { ${setValidity('')} })`);
    await widgetPage.send.click();
    await widgetPage.expectSubmissions(0, 1_000);
    expect(await page.evaluate(() => window.e2e.submits.filter((submit) => !submit.prevented))).toEqual([]);
    // The input gets the focus, as the browser would give it.
    await expect(widgetPage.email).toBeFocused();
  });

  test('never moves the focus of a visitor who has moved on', async ({ page, widgetPage }) => {
    await widgetPage.enterWhilePending(NO);
    await widgetPage.note.pressSequentially('still ');
    await widgetPage.release('rejected');
    await page.keyboard.type('here');
    await expect(widgetPage.note).toHaveValue('still here');
    await expect(widgetPage.note).toBeFocused();
  });
});

const ATTEMPTS: Record<string, (widgetPage: WidgetPage) => Promise<unknown>> = {
  'a click': ({ send }) => send.click(),
  'Enter in the field': ({ email }) => email.press('Enter'),
  'requestSubmit() by the page': ({ page }) => page.evaluate('form.requestSubmit()'),
};
for (const [what, submit] of Object.entries(ATTEMPTS)) {
  test.describe(`${what} while the verdict is pending`, () => {
    test('is held, and carried out once when the address is accepted', async ({ page, site, widgetPage }) => {
      await widgetPage.sendWhilePending(JOE, FORM, {}, () => submit(widgetPage));
      await widgetPage.expectSubmissions(0, 500);
      await widgetPage.expectCustomValidity(TEXTS.verifying);
      await expect(widgetPage.status).toHaveText(TEXTS.verifying);
      widgetPage.service.release();
      const fields = { email: JOE, note: '', ...(what.startsWith('requestSubmit') ? {} : { via: 'button' }) };
      expect(await site.submission()).toEqual({ method: 'POST', path: '/submit', fields });
      await widgetPage.expectCustomValidity('');
      await widgetPage.expectSubmissions(1, 1_000);
      expect(await page.evaluate('e2e.submits')).toHaveLength(1);
    });

    test('is dropped when the address is rejected, and the input is reported', async ({ widgetPage }) => {
      await widgetPage.sendWhilePending(NO, FORM, {}, () => submit(widgetPage));
      await widgetPage.page.evaluate(COUNT_REPORTS);
      await widgetPage.release('rejected');
      await widgetPage.expectCustomValidity(TEXTS.invalid);
      await expect.poll(() => widgetPage.page.evaluate('reported')).toBe(1);
      await expect(widgetPage.email).toBeFocused();
      await widgetPage.expectSubmissions(0, 2_000);
      expect(await widgetPage.page.evaluate('e2e.submits')).toEqual([]);
    });
  });
}

/** With a second button, which submits to another URL by another method. */
const WITH_ALT = formWith(
  '<button id="alt" name="via" value="alt" formaction="/submit-alt" formmethod="get">Alt</button>',
);

test.describe('a held submission', () => {
  test('is carried out with its submitter: name, value, formaction, formmethod', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, WITH_ALT, {}, () => widgetPage.page.locator('#alt').click());
    await widgetPage.expectSubmissions(0, 500);
    widgetPage.service.release();
    expect(await widgetPage.site.submission()).toEqual({
      method: 'GET',
      path: '/submit-alt',
      fields: { email: JOE, note: '', via: 'alt' },
    });
  });

  test('is carried out with the submitter that a page passes to requestSubmit()', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    await widgetPage.sendWhilePending(JOE, FORM, {}, () => page.evaluate('form.requestSubmit(send)'));
    await widgetPage.expectSubmissions(0, 500);
    service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE, note: '', via: 'button' });
  });

  test('verifies what a script puts into another field, and a visitor may retype', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    const ann = 'ann@example.com';
    const body = formWith('<input id="other" name="other" type="email">');
    // Only a submission sends requests, so the widget cannot know the address from another moment.
    await widgetPage.sendWhilePending(JOE, body, { options: { verifyOn: 'submit' } });
    await page.evaluate(`other.value = '${ann}'; form.requestSubmit()`);
    expect((await service.nextRequest()).query.email).toBe(ann);
    await page.locator('#other').fill(ann);
    service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE, note: '', other: ann, via: 'button' });
  });

  test('is one submit event with its submitter for every listener in any phase', async ({ widgetPage }) => {
    const { page, service, site } = widgetPage;
    service.hold();
    await widgetPage.open(WITH_ALT, PATIENT);
    // By then, the widget listens already, so the listeners on the window come after the widget's.
    await widgetPage.enter(JOE);
    await service.nextRequest();
    await page.evaluate(() => {
      const seen: unknown[] = [];
      Object.assign(window, { seen });
      const form = document.getElementById('form') as HTMLFormElement;
      for (const target of [window, document, document.body, form]) {
        for (const capture of [true, false]) {
          const see = (event: Event) => {
            const { submitter, isTrusted, defaultPrevented } = event as SubmitEvent;
            seen.push([submitter?.id, isTrusted, defaultPrevented]);
          };
          target.addEventListener('submit', see, capture);
        }
      }
      form.addEventListener('formdata', (event) => seen.push(event.formData.getAll('via')));
    });
    await page.locator('#alt').click();
    await page.locator('#alt').click();
    await widgetPage.expectSubmissions(0, 500);
    expect(await page.evaluate('seen')).toEqual([]);
    service.release();
    expect(await site.submission()).toMatchObject({ method: 'GET', path: '/submit-alt' });
    await widgetPage.expectSubmissions(1, 2_000);
    expect(await page.evaluate('seen')).toEqual([...Array(8).fill(['alt', true, false]), ['alt']]);
  });

  test('shows no bubble while it is held, and one when the address is rejected', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    service.hold();
    await widgetPage.open(FORM, PATIENT);
    // A listener that is added while the widget sleeps would run before the widget's.
    await widgetPage.email.focus();
    await page.evaluate(() => {
      const bubbles: string[] = [];
      Object.assign(window, { bubbles });
      window.addEventListener(
        'invalid',
        (event) =>
          queueMicrotask(() => {
            if (!event.defaultPrevented) bubbles.push((event.target as HTMLInputElement).validationMessage);
          }),
        true,
      );
    });
    await widgetPage.email.fill(NO);
    await widgetPage.send.click();
    await service.nextRequest();
    await expect(widgetPage.send).toBeFocused();
    expect(await page.evaluate('bubbles')).toEqual([]);
    service.release();
    await expect.poll(() => page.evaluate('bubbles')).toEqual([TEXTS.invalid]);
    await expect(widgetPage.email).toBeFocused();
  });

  test('that has ended in a rejection moves no focus at another field’s verdict', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    await widgetPage.sendWhilePending(NO, `${FORM}<form><input id="other" type="email"></form>`);
    service.release(NO);
    await expect(widgetPage.email).toBeFocused();
    await widgetPage.enter('jane@example.com', page.locator('#other'));
    await service.nextRequest();
    await widgetPage.email.focus();
    await page.evaluate(COUNT_REPORTS);
    service.release();
    await widgetPage.expectState('accepted', page.locator('#other'));
    await widgetPage.settle(1_000);
    expect(await page.evaluate('reported')).toBe(0);
  });

  test('gives way to a button with formnovalidate that is pressed meanwhile', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, WITH_SAVE);
    await widgetPage.page.locator('#save').click();
    expect(await widgetPage.sent()).toMatchObject({ via: 'draft' });
    await widgetPage.release('accepted');
    await widgetPage.expectSubmissions(1, 2_000);
  });

  test('does not begin if the browser stops it because of another invalid field', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM.replace('name="note"', 'name="note" required'));
    await expect(widgetPage.note).toBeFocused();
    await widgetPage.note.fill('now it is right');
    await expectDropped(widgetPage);
  });

  test('does not begin if a script has only dispatched the event', async ({ page, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM, {}, () =>
      page.evaluate(`form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))`),
    );
    await expectDropped(widgetPage);
    expect(await page.evaluate('e2e.submits')).toEqual([]);
  });

  test('is dropped when its button submits no more, and the next is checked', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE);
    await widgetPage.send.evaluate((button) => button.setAttribute('type', 'button'));
    await expectDropped(widgetPage);
    await widgetPage.enterRejected(NO);
    await widgetPage.page.evaluate(`${setValidity('')}; form.requestSubmit()`);
    await widgetPage.expectSubmissions(0, 1_000);
  });

  test('that a script starts has no submitter, even if a button was pressed', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM, {
      after: `send.addEventListener('click', function (event) {
        event.preventDefault(); setTimeout(function () { form.requestSubmit() }, 1000);
      });`,
    });
    await widgetPage.settle(1_500);
    widgetPage.service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE, note: '' });
  });

  test('is not carried out again with the verdict of another field', async ({ service, widgetPage }) => {
    service.hold(JOE);
    await widgetPage.open(`${FORM}<form><input id="other" type="email"></form>`, PATIENT);
    await widgetPage.email.fill(JOE);
    await widgetPage.send.click();
    await service.nextRequest();
    service.release();
    await widgetPage.sent();
    await widgetPage.enterAccepted('jane@example.com', widgetPage.page.locator('#other'));
    await widgetPage.expectSubmissions(1, 2_000);
  });

  test('does not wait for an input that the page has removed', async ({ page, service, widgetPage }) => {
    service.hold('jane@example.com');
    await widgetPage.open(SECOND, PATIENT);
    await widgetPage.enterAccepted(JOE);
    await page.locator('#second').fill('jane@example.com');
    await widgetPage.send.click();
    await widgetPage.expectState('verifying', page.locator('#second'));
    await page.evaluate('second.remove()');
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE, note: '', via: 'button' });
  });

  test('is dropped by reset(), and does not come with another field’s verdict', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    service.hold();
    const prefilled = FORM.replace('type="email"', `type="email" value="${JOE}"`);
    await widgetPage.open(`${prefilled}<form><input id="other" type="email"></form>`, PATIENT);
    await widgetPage.send.click();
    await service.nextRequest();
    await page.evaluate('form.reset()');
    await widgetPage.expectState(null);
    service.release();
    await widgetPage.enterAccepted('jane@example.com', page.locator('#other'));
    await widgetPage.expectSubmissions(0, 2_000);
    expect(service.asked).toEqual([JOE, 'jane@example.com']);
  });

  test('ends with destroy, which leaves nothing behind', async ({ page, service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM.replace('<form', '<form novalidate'));
    await widgetPage.expectCustomValidity(TEXTS.verifying);
    await widgetPage.call('destroy');
    service.release();
    await widgetPage.expectSubmissions(0, 2_000);
    await widgetPage.expectCustomValidity('');
    await expect(widgetPage.status).toHaveCount(0);
    await widgetPage.expectOwnAttributes();
    await expect(page.locator('#form')).toHaveAttribute('novalidate', '');
    await widgetPage.send.click();
    await widgetPage.sentOnce();
  });

  test('is carried out once, however often the visitor clicks', async ({ page, service, widgetPage }) => {
    const { send } = widgetPage;
    await widgetPage.sendWhilePending(JOE, FORM, {}, async () => {
      await send.click();
      await send.click();
      await send.dblclick();
    });
    service.release();
    await widgetPage.sent();
    await widgetPage.expectSubmissions(1, 3_000);
    expect(await page.evaluate('e2e.submits')).toHaveLength(1);
    expect(service.requests).toHaveLength(1);
  });

  test('takes the visitor to the next page', async ({ page, service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM.replace('<form', '<form target="_self"'));
    await widgetPage.expectSubmissions(0, 500);
    service.release();
    await expect(page).toHaveTitle('Thanks');
  });

  test('is dropped when the visitor changes the address', async ({ service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE);
    await widgetPage.enter('jane@example.com');
    await service.nextRequest();
    await expectDropped(widgetPage);
  });

  test('is dropped when its form has left the page', async ({ page, service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE);
    await page.evaluate('form.remove()');
    service.release();
    await widgetPage.expectSubmissions(0, 2_000);
  });

  test('is dropped when its submitter is rendered again as another button', async ({ page, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE);
    await page.evaluate('send.replaceWith(send.cloneNode(true))');
    await expectDropped(widgetPage);
    await widgetPage.expectCustomValidity('');
  });

  test('is dropped if the page sets its own validity meanwhile', async ({ page, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE);
    await page.evaluate(setValidity('Ours'));
    await expectDropped(widgetPage);
    expect((await widgetPage.validity()).message).toBe('Ours');
    await page.evaluate(setValidity(''));
    await widgetPage.send.click();
    await widgetPage.sentOnce();
  });

  test.describe('into a new window', () => {
    const INTO_NEW = FORM.replace('<form', '<form target="_blank"');
    const ACTIVE = (isActive: boolean) =>
      // The browser decides how long a real gesture lasts, and each of Playwright's calls counts as one.
      `Object.defineProperty(navigator, 'userActivation', { value: { isActive: ${isActive} } });`;

    /** Submits while the verdict is pending, and releases the verdict. */
    async function sendAndAccept(widgetPage: WidgetPage, body: string, isActive: boolean): Promise<void> {
      await widgetPage.sendWhilePending(JOE, body, { before: ACTIVE(isActive) });
      widgetPage.service.release();
    }

    test('is carried out while the browser still allows a new window', async ({ page, widgetPage }) => {
      const opened = page.context().waitForEvent('page');
      await sendAndAccept(widgetPage, INTO_NEW, true);
      await opened;
      expect(await widgetPage.sent()).toMatchObject({ email: JOE, via: 'button' });
    });

    for (const [what, body] of Object.entries({
      "by the form's target": INTO_NEW,
      "by the button's formtarget": FORM.replace('<button', '<button formtarget="results"'),
      "by the page's base": `${FORM}<script>document.querySelector('base').target = '_blank'</script>`,
    })) {
      test(`is dropped once the browser would block the window: ${what}`, async ({ widgetPage }) => {
        await sendAndAccept(widgetPage, body, false);
        await widgetPage.expectState('accepted');
        await widgetPage.expectSubmissions(0, 2_000);
        await widgetPage.expectCustomValidity('');
      });
    }

    for (const [what, body] of Object.entries({
      'this one': FORM.replace('<form', '<form target="_self"'),
      'a frame that is there': `${FORM.replace('<form', '<form target="frame"')}<iframe name="frame"></iframe>`,
    })) {
      test(`needs no gesture for ${what}`, async ({ widgetPage }) => {
        await sendAndAccept(widgetPage, body, false);
        expect(await widgetPage.sent()).toMatchObject({ email: JOE });
      });
    }
  });

  /** Submits while the verdicts on this address and on another one are pending. */
  async function sendTwo(widgetPage: WidgetPage, address: string): Promise<void> {
    await widgetPage.sendWhilePending(address, SECOND, {}, async () => {
      await widgetPage.page.locator('#second').fill('jane@example.com');
      await widgetPage.send.click();
    });
    await widgetPage.service.nextRequest();
  }

  test('waits for every monitored input of the form', async ({ service, widgetPage }) => {
    await sendTwo(widgetPage, JOE);
    service.release(JOE);
    await widgetPage.expectState('accepted');
    await widgetPage.expectSubmissions(0, 500);
    service.release('jane@example.com');
    expect(await widgetPage.sent()).toMatchObject({ email: JOE, second: 'jane@example.com', via: 'button' });
  });

  test('is dropped when one of two inputs is rejected', async ({ page, service, widgetPage }) => {
    await sendTwo(widgetPage, NO);
    service.release(NO);
    await widgetPage.expectState('rejected');
    service.release('jane@example.com');
    await widgetPage.expectState('accepted', page.locator('#second'));
    await widgetPage.expectSubmissions(0, 2_000);
    await expect(widgetPage.email).toBeFocused();
  });

  test('fires one submit event, which the page may still cancel', async ({ page, service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM, {
      after: `window.asked = [];
        document.getElementById('form').addEventListener('submit', function (event) {
          event.preventDefault(); asked.push(event.submitter && event.submitter.id);
        });`,
    });
    await widgetPage.expectSubmissions(0, 500);
    expect(await page.evaluate('asked')).toEqual([]);
    service.release();
    await expect.poll(() => page.evaluate('asked')).toEqual(['send']);
    await widgetPage.expectSubmissions(0, 2_000);
    expect(await page.evaluate('asked')).toEqual(['send']);
  });

  for (const [what, reply] of Object.entries({
    'an error status': status(500, 'Oops'),
    'a rate limit': rateLimited(),
    'a broken connection': drop(),
    silence: hang(),
  })) {
    test(`is carried out after ${what}`, async ({ service, widgetPage }) => {
      service.answer(JOE, reply);
      await widgetPage.open(FORM);
      await widgetPage.email.fill(JOE);
      await widgetPage.send.click();
      await widgetPage.passUntil('error', 8_000);
      expect(await widgetPage.sentOnce()).toMatchObject({ email: JOE, via: 'button' });
      // Firefox repeats a dropped request by itself. The widget did not send it.
      expect(await widgetPage.fetches()).toBeLessThanOrEqual(2);
    });
  }

  test('is carried out if the page cancels the verification', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, {
      after: `addEventListener('verifying', function (event) { event.preventDefault() });`,
    });
    await widgetPage.email.fill(JOE);
    await widgetPage.send.click();
    expect(await widgetPage.sent()).toMatchObject({ email: JOE, via: 'button' });
    expect(await widgetPage.events('verifying')).toHaveLength(1);
    expect(service.requests).toEqual([]);
    await widgetPage.expectSubmissions(1, 1_000);
  });
});

test.describe('while a verdict is pending', () => {
  test('the input is not invalid: not :invalid, :user-invalid or announced', async ({ widgetPage }) => {
    widgetPage.service.hold();
    await widgetPage.open(FORM, PATIENT);
    await widgetPage.email.pressSequentially(JOE);
    await widgetPage.email.press('Tab');
    await widgetPage.service.nextRequest();
    const matches = await widgetPage.email.evaluate((input) => [
      input.matches(':invalid'),
      input.matches(':user-invalid'),
    ]);
    expect(matches).toEqual([false, false]);
    await widgetPage.expectCustomValidity('');
    expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({ invalid: 'false' });
    await widgetPage.release('accepted');
  });

  test('no frame or change shows it invalid from the first key to acceptance', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    service.hold();
    await widgetPage.open(FORM, { clock: 'real', ...UNHURRIED });
    await page.evaluate(watchForInvalid);
    await widgetPage.email.pressSequentially(JOE);
    await widgetPage.email.press('Tab');
    await service.nextRequest();
    await widgetPage.note.pressSequentially('going on');
    await widgetPage.release('accepted');
    expect(await page.evaluate('looks')).toBeGreaterThan(20);
    expect(await page.evaluate('flashes')).toEqual([]);
  });

  for (const [what, attempt] of Object.entries({
    'the click handler of its submit button': `send.addEventListener('click', function (event) {
      event.preventDefault(); answers.push(form.reportValidity(), email.validationMessage); });`,
    'a handler of Enter': `form.addEventListener('keydown', function (event) {
      if (event.key !== 'Enter') return;
      event.preventDefault(); answers.push(form.checkValidity(), email.validationMessage); });`,
  })) {
    test(`a page that posts by script gets false in ${what}, and later true`, async ({ widgetPage }) => {
      const { page, service } = widgetPage;
      service.hold();
      await widgetPage.open(FORM, { ...PATIENT, after: `window.answers = []; ${attempt}` });
      await widgetPage.email.pressSequentially(JOE);
      const press = () =>
        what.includes('Enter') ? widgetPage.email.press('Enter') : widgetPage.send.click();
      await press();
      expect(await page.evaluate('answers')).toEqual([false, TEXTS.verifying]);
      await service.nextRequest();
      await expectDropped(widgetPage);
      await press();
      expect(await page.evaluate('answers')).toEqual([false, TEXTS.verifying, true, '']);
    });
  }

  test('a click whose default the page has prevented is not carried out', async ({ widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM, {
      after: `document.getElementById('send').addEventListener('click', function (event) { event.preventDefault() });`,
    });
    await expectDropped(widgetPage);
  });

  test('a button with formnovalidate submits at once', async ({ widgetPage }) => {
    await widgetPage.enterWhilePending(JOE, WITH_SAVE, PATIENT);
    await widgetPage.expectState('verifying');
    await widgetPage.page.locator('#save').click();
    expect(await widgetPage.sent()).toMatchObject({ via: 'draft', email: JOE });
    await widgetPage.expectSubmissions(1, 500);
    await widgetPage.expectCustomValidity('');
  });

  test('a dialog form closes at once', async ({ page, service, widgetPage }) => {
    service.hold();
    await widgetPage.open(
      `<dialog id="dialog"><form method="dialog" id="form">
      <input id="email" type="email"><button id="send" value="done">Close</button></form></dialog>`,
      PATIENT,
    );
    await page.evaluate('dialog.showModal()');
    await widgetPage.enter(JOE);
    await service.nextRequest();
    await widgetPage.expectState('verifying');
    await widgetPage.send.click();
    await expect(page.locator('#dialog')).toBeHidden();
    expect(await page.evaluate('dialog.returnValue')).toBe('done');
  });
});

test('keeps no dialog open for a rejected address', async ({ page, widgetPage }) => {
  await widgetPage.open(`<dialog id="dialog"><form id="form" action="/submit" method="post">
    <input id="email" name="email" type="email">
    <button id="send">Send</button><button id="close" formmethod="dialog">Close</button></form></dialog>`);
  await page.evaluate('dialog.showModal()');
  await widgetPage.enterRejected(NO);
  await page.locator('#close').click();
  await expect(page.locator('#dialog')).toBeHidden();
  await widgetPage.expectSubmissions(0, 500);
});

test('does not stop a button with formnovalidate for a rejected address', async ({ widgetPage }) => {
  await widgetPage.open(WITH_SAVE);
  await widgetPage.enterRejected(NO);
  await widgetPage.page.locator('#save').click();
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('submits a form without a button by Enter, once the address is accepted', async ({ widgetPage }) => {
  const body = '<form id="form" action="/submit"><input id="email" type="email" name="email"></form>';
  await widgetPage.sendWhilePending(JOE, body, {}, () => widgetPage.email.press('Enter'));
  await widgetPage.expectSubmissions(0, 500);
  widgetPage.service.release();
  expect(await widgetPage.sentOnce()).toEqual({ email: JOE });
});

test('submits without a submitter by Enter, after the pressed button was removed', async ({ widgetPage }) => {
  await widgetPage.sendWhilePending(
    JOE,
    '<form id="form" action="/submit"><input id="email" type="email" name="email"><button id="send" name="via">Send</button></form>',
  );
  await widgetPage.page.evaluate('send.remove()');
  await widgetPage.email.press('Enter');
  widgetPage.service.release();
  expect(await widgetPage.sentOnce()).toEqual({ email: JOE });
});

test('submits nothing by checkValidity() with novalidate and a hidden input', async ({ widgetPage }) => {
  await widgetPage.sendWhilePending(JOE);
  await widgetPage.page.evaluate('form.noValidate = true; email.hidden = true; form.checkValidity()');
  await widgetPage.expectSubmissions(0, 1_000);
  widgetPage.service.release();
  await widgetPage.sentOnce();
});

test('holds a submission by a button outside the form, with a form attribute', async ({ widgetPage }) => {
  await widgetPage.sendWhilePending(
    JOE,
    `<form id="form" action="/submit"><input id="email" type="email" name="email"></form>
    <button id="send" form="form" name="via" value="outside">Send</button>`,
  );
  await widgetPage.expectSubmissions(0, 500);
  widgetPage.service.release();
  expect(await widgetPage.sent()).toEqual({ email: JOE, via: 'outside' });
});

test('submits a form without a monitored input in use at once', async ({ site, widgetPage }) => {
  await widgetPage.enterWhilePending(
    JOE,
    `${FORM}<form action="/submit-search"><input name="q"><button id="search">Search</button></form>`,
    PATIENT,
  );
  await widgetPage.page.locator('#search').click();
  expect((await site.submission()).path).toBe('/submit-search');
});

test.describe('a value without an event', () => {
  test('from the markup is verified when the visitor submits', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM.replace('type="email"', `type="email" value="${JOE}"`));
    await widgetPage.expectNoRequest();
    await widgetPage.send.click();
    expect((await service.nextRequest()).email).toBe(JOE);
    expect(await widgetPage.sent()).toMatchObject({ email: JOE, via: 'button' });
  });

  test('from the markup is not valid yet for a click that posts by script', async ({ page, widgetPage }) => {
    widgetPage.service.hold();
    await widgetPage.open(FORM.replace('type="email"', `type="email" value="${JOE}"`), {
      ...PATIENT,
      after: `send.addEventListener('click', function (event) {
        event.preventDefault(); window.answer = form.checkValidity();
      });`,
    });
    await widgetPage.send.click();
    expect(await page.evaluate('answer')).toBe(false);
    await widgetPage.service.nextRequest();
    await widgetPage.release('accepted');
    await widgetPage.send.click();
    expect(await page.evaluate('answer')).toBe(true);
  });

  test('from the markup blocks the form if it is rejected', async ({ widgetPage }) => {
    await widgetPage.open(FORM.replace('type="email"', `type="email" value="${NO}"`));
    await widgetPage.send.click();
    await widgetPage.expectState('rejected');
    await widgetPage.expectSubmissions(0, 2_000);
  });

  test('that the browser restores for a returning visitor is verified when sent', async ({ widgetPage }) => {
    const { page, service, site } = widgetPage;
    service.answer(JOE, undeliverable(), deliverable());
    await widgetPage.open(FORM);
    await widgetPage.enterRejected(JOE);
    await page.goto(site.origin() + site.html('<!doctype html><title>Another</title>'));
    leaveOutFor('a reloaded page with restored values', page);
    await page.goBack();
    await expect(widgetPage.email).toHaveValue(JOE);
    await widgetPage.expectState(null);
    await widgetPage.send.click();
    expect(await widgetPage.sent()).toMatchObject({ email: JOE, via: 'button' });
    expect(service.asked).toEqual([JOE, JOE]);
  });

  test('does not get the rejection of the value before it', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enterRejected(NO);
    await widgetPage.page.evaluate(`email.value = '${JOE}'`);
    await widgetPage.send.click();
    await widgetPage.nextEvent('verified');
    expect(await widgetPage.sent()).toMatchObject({ email: JOE });
    expect(service.asked).toEqual([NO, JOE]);
  });

  test('does not get the acceptance of the value before it', async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enterAccepted(JOE);
    await widgetPage.page.evaluate(`email.value = '${NO}'`);
    await widgetPage.send.click();
    await widgetPage.expectState('rejected');
    await widgetPage.expectSubmissions(0, 2_000);
  });
});

test('lets no rejected address through if the page sets novalidate again', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM.replace('<form', '<form novalidate'));
  await widgetPage.enterRejected(NO);
  await page.evaluate('form.noValidate = true');
  await widgetPage.send.click();
  await widgetPage.expectSubmissions(0, 1_000);
  await expect(widgetPage.email).toBeFocused();
});

test('lets nothing else of the form through unchecked if novalidate is set again', async ({ widgetPage }) => {
  await widgetPage.open(FORM.replace('name="note"', 'name="note" required'));
  await widgetPage.enterAccepted(JOE);
  await widgetPage.page.evaluate('form.noValidate = true');
  await widgetPage.send.focus();
  await widgetPage.send.click();
  await expect(widgetPage.note).toBeFocused();
  await widgetPage.expectSubmissions(0, 1_000);
  await widgetPage.note.fill('right');
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ note: 'right' });
});

test('holds the submission although the click sets novalidate again', async ({ service, widgetPage }) => {
  await widgetPage.sendWhilePending(JOE, FORM, {
    after: `send.addEventListener('click', () => { form.noValidate = true })`,
  });
  await widgetPage.expectSubmissions(0, 500);
  service.release();
  expect(await widgetPage.sentOnce()).toMatchObject({ email: JOE, via: 'button' });
});

test.describe("a custom validity of the page's own", () => {
  test('prevents a hold, because the page has refused already', async ({ page, service, widgetPage }) => {
    service.hold();
    await widgetPage.open(FORM, PATIENT);
    await page.evaluate(setValidity('Ours'));
    await widgetPage.email.fill(JOE);
    await widgetPage.send.click();
    await service.nextRequest();
    expect((await widgetPage.validity()).message).toBe('Ours');
    await page.evaluate(setValidity(''));
    await expectDropped(widgetPage);
  });

  test('stays if a formnovalidate button sets it while the widget lifts its own', async ({ widgetPage }) => {
    await widgetPage.open(WITH_SAVE, {
      after: `save.addEventListener('click', function () {
        window.asked = form.checkValidity(); ${setValidity('Ours')};
      });`,
    });
    await widgetPage.enterRejected(NO);
    await widgetPage.page.locator('#save').click();
    await widgetPage.sent();
    expect(await widgetPage.page.evaluate('asked')).toBe(true);
    await widgetPage.settle(1_000);
    expect((await widgetPage.validity()).message).toBe('Ours');
    await widgetPage.enterAccepted(JOE);
    expect((await widgetPage.validity()).message).toBe('Ours');
  });
});

test.describe('resultField', () => {
  const open = { options: { resultField: 'verification' } };

  test('is sent with the form, as the text of the result', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, open);
    await widgetPage.enter(JOE);
    const { detail } = await widgetPage.nextEvent('verified');
    const { body } = (detail as { verificationData: { body: string } }).verificationData;
    const field = page.locator('#form input[name=verification]');
    await expect(field).toHaveAttribute('type', 'hidden');
    await expect(field).toHaveValue(body);
    await widgetPage.send.click();
    expect(await widgetPage.sent()).toEqual({ email: JOE, note: '', via: 'button', verification: body });
  });

  test('is sent with a held submission', async ({ service, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, FORM, open);
    service.release();
    expect(JSON.parse((await widgetPage.sent()).verification!)).toMatchObject({ email: JOE });
  });
});

test('shows and fires everything, but blocks nothing with formValidation: false', async ({ widgetPage }) => {
  await widgetPage.open(FORM.replace('<form', '<form novalidate'), { options: { formValidation: false } });
  await expect(widgetPage.page.locator('#form')).toHaveAttribute('novalidate', '');
  await widgetPage.enter(NO);
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  await widgetPage.expectCustomValidity('');
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ email: NO });
});

test('submits one form of a page while it holds another', async ({ page, service, site, widgetPage }) => {
  service.hold(JOE);
  await widgetPage.open(
    `${FORM}<form action="/submit-second"><input id="second" type="email" name="second">
    <button id="send-second">Send</button></form>`,
    PATIENT,
  );
  await widgetPage.email.fill(JOE);
  await widgetPage.send.click();
  await service.nextRequest();
  await page.locator('#second').fill('jane@example.com');
  await page.locator('#send-second').click();
  expect(await site.submission()).toMatchObject({
    path: '/submit-second',
    fields: { second: 'jane@example.com' },
  });
});
