/** The submitter of a held submission, and changes of the page to that button meanwhile. */
import { expect, JOE, PATIENT, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const INPUT = '<input id="email" name="email" type="email">';
const SENT = { method: 'POST', path: '/submit-here', fields: { email: JOE, via: 'button' } };

/** A form with a formaction on its button. */
const form = (attributes = '', rest = '') =>
  `<form id="form" action="/submit" method="post">${INPUT}
    <button id="send" name="via" value="button" formaction="/submit-here" ${attributes}>Send</button>${rest}</form>`;

/** Types an address. The service holds its response. */
async function typePending(widgetPage: WidgetPage, body: string): Promise<void> {
  widgetPage.service.hold();
  // The real clock, because the order of tasks matters here.
  await widgetPage.open(body, { clock: 'real', ...PATIENT });
  // Key by key: fill() fires `change` itself.
  await widgetPage.email.pressSequentially(JOE);
}

test.describe('a held submission whose button the page disables', () => {
  const BY_LISTENER = `form.addEventListener('submit', function (event) { event.submitter.disabled = true })`;
  for (const [when, after, meanwhile] of [
    ['in its submit listener', BY_LISTENER, ''],
    ['while it is held', '', `send.setAttribute('disabled', '')`],
  ] as const) {
    test(`${when} is sent once, with the button, which stays disabled`, async ({ service, widgetPage }) => {
      await widgetPage.sendWhilePending(JOE, form(), { after });
      await widgetPage.page.evaluate(meanwhile);
      service.release();
      expect(await widgetPage.site.submission()).toEqual(SENT);
      await expect(widgetPage.send).toBeDisabled();
      // Again, by pointer and by script.
      await widgetPage.send.click({ force: true });
      await widgetPage.page.evaluate('send.click()');
      await widgetPage.expectSubmissions(1, 1_000);
    });
  }

  test('while it is held, and enables in its submit listener, is sent once', async ({ site, widgetPage }) => {
    await widgetPage.sendWhilePending(JOE, form(), {
      after: `form.addEventListener('submit', function () { send.disabled = false });
        form.addEventListener('formdata', function (event) { window.sent = event.formData.getAll('via') });`,
    });
    await widgetPage.send.evaluate((button) => button.setAttribute('disabled', ''));
    widgetPage.service.release();
    expect(await site.submission()).toEqual(SENT);
    await expect(widgetPage.send).toBeEnabled();
    expect(await widgetPage.page.evaluate('sent')).toEqual(['button']);
  });

  for (const [when, attributes] of Object.entries({
    'in its submit listener': '',
    'by its own press': 'onclick="var button = this; setTimeout(function () { button.disabled = true }, 0)"',
  })) {
    test(`${when}, and posts new FormData(form, submitter), has its button`, async ({ page, widgetPage }) => {
      await widgetPage.sendWhilePending(JOE, form(attributes), {
        after: `form.addEventListener('submit', function (event) {
          event.preventDefault();
          send.disabled = true;
          window.posted = Array.from(new FormData(form, event.submitter));
        })`,
      });
      widgetPage.service.release();
      await expect
        .poll(() => page.evaluate('window.posted'))
        .toEqual([
          ['email', JOE],
          ['via', 'button'],
        ]);
      await expect(widgetPage.send).toBeDisabled();
    });
  }
});

test.describe('a page that submits by requestSubmit(button) while a verdict is pending', () => {
  const later = (call: string) => `setTimeout(function () { ${call} }, 0)`;
  const prevented = (call: string) => form(`onclick="event.preventDefault(); ${call}"`);
  const submit = 'form.requestSubmit(send)';
  const confirmedBy = (dialog: string) => `<dialog id="sure">${dialog}</dialog>`;
  const yes = (attributes: string) => `<button id="yes" ${attributes}>Yes</button>`;

  const PAGES: Record<string, { body: string; press?: string }> = {
    'instead of the press’s default': { body: prevented(submit) },
    'in a microtask of the press': { body: prevented(`Promise.resolve().then(function () { ${submit} })`) },
    'in a task after the press': { body: prevented(later(submit)) },
    'after confirm()': { body: prevented(`if (confirm('Sure?')) ${submit}`) },
    'after confirm(), in a later task': { body: prevented(later(`if (confirm('Sure?')) ${submit}`)) },
    'from a confirmation dialog outside the form': {
      body:
        prevented('sure.showModal()') +
        confirmedBy(yes(`type="button" onclick="sure.close(); send.form.requestSubmit(send)"`)),
      press: '#yes',
    },
    'when a confirmation dialog outside the form has closed': {
      body:
        prevented('sure.showModal()') +
        confirmedBy(`<form method="dialog">${yes('value="yes"')}</form>`).replace(
          '<dialog',
          `<dialog onclose="${submit}"`,
        ),
      press: '#yes',
    },
    'in a task after a type=button': {
      body: form('', `<button id="go" type="button" onclick="${later(submit)}">Go</button>`).replace(
        '<button id="send"',
        '<button id="send" hidden',
      ),
      press: '#go',
    },
  };
  for (const [what, { body, press }] of Object.entries(PAGES)) {
    test(`${what}: carries it out once, with that button`, async ({ page, widgetPage }) => {
      page.on('dialog', (dialog) => void dialog.accept());
      await typePending(widgetPage, body);
      if (press !== '#go') await widgetPage.send.click();
      if (press) await page.locator(press).click();
      await expectCarriedOut(widgetPage);
    });
  }

  test('in a task after keydown of Enter: carries it out once, with that button', async ({ widgetPage }) => {
    const handler = `if (event.key === 'Enter') { event.preventDefault(); ${later(submit)} }`;
    await typePending(widgetPage, form().replace('<input', `<input onkeydown="${handler}"`));
    await widgetPage.email.press('Enter');
    await expectCarriedOut(widgetPage);
  });

  test('of another button, within the press itself: takes the pressed button', async ({ widgetPage }) => {
    await typePending(
      widgetPage,
      form(
        'onclick="event.preventDefault(); form.requestSubmit(other)"',
        '<button id="other" name="via" value="other">Other</button>',
      ),
    );
    await widgetPage.send.click();
    await widgetPage.service.nextRequest();
    widgetPage.service.release();
    expect(await widgetPage.site.submission()).toEqual(SENT);
  });

  async function expectCarriedOut(widgetPage: WidgetPage) {
    const { page, service, site } = widgetPage;
    await service.nextRequest();
    await widgetPage.settle(0);
    expect(site.submissions).toEqual([]);
    service.release();
    expect(await site.submission()).toEqual(SENT);
    await widgetPage.settle(0);
    expect(site.submissions).toHaveLength(1);
    const submits = await page.evaluate(() => window.e2e.submits);
    expect(submits.filter(({ form: id }) => id === 'form')).toEqual([
      { form: 'form', submitter: 'send', prevented: false },
    ]);
  }
});

test.describe('fields that a press has closed', () => {
  /** Checks validity within the press, and in the task after the next. */
  const ASK = `asked = [form.checkValidity()];
    setTimeout(function () { setTimeout(function () { asked.push(form.checkValidity()) }, 0) }, 0);`;
  const PRESSES: Record<string, { body: string; press: 'click' | 'Enter'; asked: boolean[] }> = {
    'are open again after a press whose default the page has prevented': {
      body: form(`onclick="event.preventDefault(); ${ASK}"`),
      press: 'click',
      asked: [false, true],
    },
    'are open again after a press of a type=button': {
      body: form(`type="button" onclick="${ASK}"`),
      press: 'click',
      asked: [false, true],
    },
    'are open again after Enter': {
      body: form().replace(
        '<input',
        `<input onkeydown="if (event.key === 'Enter') { event.preventDefault(); ${ASK} }"`,
      ),
      press: 'Enter',
      asked: [false, true],
    },
    'stay closed after a plain press, which is held': {
      body: form(`onclick="${ASK}"`),
      press: 'click',
      asked: [false, false],
    },
  };
  for (const [what, { body, press, asked }] of Object.entries(PRESSES)) {
    test(what, async ({ page, service, widgetPage }) => {
      await typePending(widgetPage, body);
      // A verification is pending then for Enter too, which submits nothing here.
      await widgetPage.email.dispatchEvent('change');
      await service.nextRequest();
      if (press === 'click') await widgetPage.send.click();
      else await widgetPage.email.press('Enter');
      await expect.poll(() => page.evaluate('asked')).toEqual(asked);
    });
  }
});
