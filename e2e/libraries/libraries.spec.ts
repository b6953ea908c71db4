/** Pages made with libraries from a script tag, as each library's guide shows it. */
import { eachRow, expect, FORM, JOE, NO, PATIENT, TEXTS, test, text } from '../fixtures.ts';
import {
  heldGoesOnce,
  leavesNothingBehind,
  rejectedStaysBlocked,
  suggestionIsTaken,
} from '../pages/journeys.ts';
import { snippet } from '../pages/snippets.ts';
import type { OpenOptions, WidgetPage } from '../pages/widget-page.ts';

/** Opens a page with libraries, which load before the widget. */
function open(widgetPage: WidgetPage, libraries: string[], body: string, more: OpenOptions = {}) {
  const tags = libraries.map((path) => `<script src="/node_modules/${path}"></script>`);
  return widgetPage.open(body, { ...more, head: [...tags, more.head ?? ''].join('\n') });
}

const evaluate = (widgetPage: WidgetPage, expression: string) => widgetPage.page.evaluate(expression);

test.afterEach(({ widgetPage }) => {
  expect(widgetPage.consoleErrors).toEqual([]);
});

for (const version of ['jquery-3', 'jquery']) {
  test.describe(version === 'jquery' ? 'jQuery 4' : 'jQuery 3', () => {
    const JQUERY = [`${version}/dist/jquery.min.js`];
    const POSTS = `$('#form').on('submit', function (event) {
      event.preventDefault(); $.post('/submit', $(this).serialize());
    });`;

    test('works in a form that it posts', async ({ widgetPage }) => {
      await open(widgetPage, JQUERY, FORM, { after: POSTS });
      await suggestionIsTaken(widgetPage, {
        model: () => evaluate(widgetPage, "$('#form').serializeArray()[0].value"),
      });
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      // val() fires no event.
      await evaluate(widgetPage, `$('#email').val('${NO}')`);
      await widgetPage.send.click();
      await widgetPage.expectState('rejected');
      await widgetPage.expectSubmissions(1, 500);
      await leavesNothingBehind(widgetPage, () => evaluate(widgetPage, "$('#form').remove()"));
    });

    test('verifies before its submit()', async ({ page, widgetPage }) => {
      const submit = await snippet('jQuery');
      await open(widgetPage, JQUERY, FORM.replace('id="send"', 'id="send" type="button"'), {
        after: `$('#send').on('click', function () { ${submit} })`,
      });
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      expect(await page.evaluate(() => window.e2e.submits)).toHaveLength(1);
    });

    test('passes events to on(), with their detail', async ({ service, widgetPage }) => {
      service.answer(JOE, text('nonsense'));
      await open(widgetPage, JQUERY, FORM, {
        after: `window.heard = [];
          function hear(event) { heard.push([event.type, event.detail]) }
          $('#email').on('verified error', hear);
          $(document).on('verified', '#email', hear);`,
      });
      await widgetPage.enter(NO);
      const { detail: verdict } = await widgetPage.nextEvent('verified');
      await widgetPage.enter(JOE);
      const { detail: failure } = await widgetPage.nextEvent('error');
      expect(await evaluate(widgetPage, 'heard')).toEqual([
        ['verified', verdict],
        ['verified', verdict],
        ['error', failure],
      ]);
      expect(verdict).toMatchObject({ accepted: false, message: TEXTS.invalid });
    });
  });
}

test.describe('jQuery Validation', () => {
  const LIBRARIES = ['jquery/dist/jquery.min.js', 'jquery-validation/dist/jquery.validate.min.js'];

  test('works in a form with any way to submit, and in any order of loading', async ({ widgetPage }) => {
    const SET_UP = {
      'the browser': '{}',
      'form.submit() in its submitHandler': '{ submitHandler: function (form) { form.submit() } }',
      'a post in its submitHandler':
        "{ submitHandler: function (form) { $.post('/submit', $(form).serialize()) } }",
    };
    await eachRow(SET_UP, async (options) => {
      const before = widgetPage.site.submissions.length;
      await open(widgetPage, LIBRARIES, FORM, { after: `$('#form').validate(${options})` });
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      expect(widgetPage.site.submissions).toHaveLength(before + 1);
    });
    await suggestionIsTaken(widgetPage);
    await leavesNothingBehind(widgetPage, () => evaluate(widgetPage, "$('#form').remove()"));
    await open(widgetPage, LIBRARIES, FORM);
    await evaluate(widgetPage, "$('#form').validate()");
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });

  test('shows messages by itself, with the lines in docs/pages.md', async ({ page, widgetPage }) => {
    await open(widgetPage, LIBRARIES, FORM.replace('name="note"', 'name="note" required'), {
      after: await snippet('jQuery Validation'),
    });
    await widgetPage.enterRejected(NO);
    await widgetPage.send.click();
    await expect(page.locator('label.error[for=note], #note-error')).toBeVisible();
    await expect(page.locator('#email-error')).toHaveText(TEXTS.invalid);
    await widgetPage.expectSubmissions(0, 500);
    await widgetPage.note.fill('a note');
    await widgetPage.enterAccepted(JOE);
    await expect(page.locator('#email-error')).toBeHidden();
    await widgetPage.send.click();
    expect((await widgetPage.site.submission()).fields).toMatchObject({ email: JOE, note: 'a note' });
    await heldGoesOnce(widgetPage);
  });
});

test.describe('Bootstrap', () => {
  const LIBRARIES = ['bootstrap/dist/js/bootstrap.bundle.min.js'];
  const head = '<link rel="stylesheet" href="/node_modules/bootstrap/dist/css/bootstrap.min.css">';
  const BODY = `
    <form id="form" class="needs-validation" action="/submit" method="post" novalidate>
      <input id="email" name="email" type="email" class="form-control" required>
      <div class="invalid-feedback">Please give an address that is right.</div>
      <input id="note" name="note">
      <button id="send" class="btn btn-primary">Send</button>
    </form>`;
  /** Word for word from its guide. */
  const GUIDE = `(() => {
    'use strict'
    const forms = document.querySelectorAll('.needs-validation')
    Array.from(forms).forEach(form => {
      form.addEventListener('submit', event => {
        if (!form.checkValidity()) {
          event.preventDefault()
          event.stopPropagation()
        }
        form.classList.add('was-validated')
      }, false)
    })
  })()`;

  test('works in a form with its validation', async ({ page, widgetPage }) => {
    await open(widgetPage, LIBRARIES, BODY, { head, after: GUIDE });
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
    await expect(page.locator('#form')).toHaveClass(/was-validated/);
    await leavesNothingBehind(widgetPage, () => evaluate(widgetPage, 'form.remove()'));
  });

  test('works in a modal that is closed during a verification', async ({ page, widgetPage }) => {
    await open(
      widgetPage,
      LIBRARIES,
      `<div class="modal" id="modal" tabindex="-1"><div class="modal-dialog"><div class="modal-content">${BODY}</div></div></div>`,
      { head, after: `${GUIDE}; new bootstrap.Modal('#modal').show();` },
    );
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    await expect(widgetPage.status).toContainText(TEXTS.invalid);
    await evaluate(widgetPage, "bootstrap.Modal.getInstance('#modal').hide()");
    await widgetPage.pass(1_000);
    await expect(page.locator('#modal')).toBeHidden();
    await expect(widgetPage.status.getByText(TEXTS.invalid)).toBeHidden();
  });

  test('shows its feedback, not while verifying, with the lines in docs/pages.md', async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    await open(widgetPage, LIBRARIES, BODY, {
      ...PATIENT,
      head,
      after: `${GUIDE}; ${await snippet('Bootstrap')}`,
    });
    const feedback = page.locator('.invalid-feedback');
    service.hold();
    await widgetPage.email.fill(NO);
    await widgetPage.send.click();
    await service.nextRequest();
    await expect(feedback).toBeHidden();
    await expect(page.locator('#form')).not.toHaveClass(/was-validated/);
    service.release();
    await expect(feedback).toBeVisible();
    await widgetPage.expectSubmissions(0, 500);
    await widgetPage.enterAccepted(JOE);
    await expect(feedback).toBeHidden();
    await heldGoesOnce(widgetPage);
  });
});

test.describe('Alpine', () => {
  const ALPINE = '<script defer src="/node_modules/alpinejs/dist/cdn.min.js"></script>';

  test('works in a form with a model, and with events bound in the page', async ({ service, widgetPage }) => {
    service.answer(JOE, text('nonsense'));
    const data = (name: string) => evaluate(widgetPage, `Alpine.$data(app).${name}`);
    await eachRow({ eager: 'x-model', lazy: 'x-model.lazy' }, async (directive) => {
      await widgetPage.open(
        `<div id="app" x-data="{ email: '', shown: true, heard: [] }"><template x-if="shown">
          <form @submit.prevent="fetch('/submit', { method: 'POST', body: new URLSearchParams({ email }) })">
            <input id="email" type="email" ${directive}="email"
              @verified="heard.push($event.detail.accepted)" @error="heard.push($event.detail.status)">
            <input id="note"> <button id="send">Send</button>
          </form>
        </template></div>`,
        { head: ALPINE },
      );
      await suggestionIsTaken(widgetPage, { model: () => data('email') });
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      await widgetPage.enter(JOE);
      await widgetPage.expectState('error');
      expect(await data('heard')).toEqual([false, true, false, true, 200]);
    });
    await leavesNothingBehind(widgetPage, () => evaluate(widgetPage, 'Alpine.$data(app).shown = false'));
  });
});

for (const version of ['htmx-2', 'htmx.org']) {
  test.describe(version === 'htmx-2' ? 'htmx 2' : 'htmx 4', () => {
    const HTMX = [`${version}/dist/htmx.min.js`];
    const form = (attributes: string) => `
      <form id="form" ${attributes}>
        <input id="email" name="email" type="email"
          hx-on:verified="heard = event.detail.accepted" hx-on:error="heard = event.detail.status">
        <input id="note" name="note">
        <button id="send" name="via" value="button">Send</button>
      </form>`;

    test('works in a form that it posts and swaps', async ({ page, service, site, widgetPage }) => {
      service.answer(JOE, text('nonsense'));
      await open(
        widgetPage,
        HTMX,
        `${form('hx-post="/submit" hx-target="#thanks"')}<p id="thanks"></p>
         <button id="away" hx-get="${site.html('<p>Another view</p>')}" hx-target="#form" hx-swap="outerHTML">Away</button>`,
      );
      site.thanks = { ...site.thanks, body: 'Thank you' };
      await suggestionIsTaken(widgetPage);
      await rejectedStaysBlocked(widgetPage);
      expect(await evaluate(widgetPage, 'heard')).toBe(false);
      expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ via: 'button' });
      expect(await evaluate(widgetPage, 'heard')).toBe(true);
      await expect(page.locator('#thanks')).toHaveText('Thank you');
      await widgetPage.enter(JOE);
      await widgetPage.expectState('error');
      expect(await evaluate(widgetPage, 'heard')).toBe(200);
      await leavesNothingBehind(widgetPage, () => page.locator('#away').click());
    });

    test('works in a form that it boosts, and in a response with the form again', async ({ widgetPage }) => {
      const again = form('hx-post="/submit" hx-swap="outerHTML"');
      widgetPage.site.thanks = { ...widgetPage.site.thanks, body: again };
      await open(widgetPage, HTMX, again);
      await heldGoesOnce(widgetPage);
      await expect(widgetPage.email).toHaveValue('');
      await widgetPage.pass(1_000);
      await expect(widgetPage.status).toHaveCount(0);
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      await open(
        widgetPage,
        HTMX,
        `${form('action="/submit" method="post" hx-boost="true" hx-target="#thanks"')}<p id="thanks"></p>`,
      );
      await rejectedStaysBlocked(widgetPage);
      await heldGoesOnce(widgetPage);
      await expect(widgetPage.page.locator('#thanks #email')).toBeVisible();
    });
  });
}

test('works in a form whose button posts itself, with the lines in docs/pages.md', async ({ widgetPage }) => {
  await eachRow({ 'htmx 2': 'htmx-2', 'htmx 4': 'htmx.org' }, async (version) => {
    await open(widgetPage, [`${version}/dist/htmx.min.js`], await snippet('htmx'));
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });
});

test("leaves nothing in htmx's copy of a view, with the lines in docs/pages.md", async ({ widgetPage }) => {
  const { page, site } = widgetPage;
  const elsewhere = site.html('<h1>Elsewhere</h1>');
  await open(
    widgetPage,
    ['htmx-2/dist/htmx.min.js'],
    `<main id="main">${FORM}<button id="away" hx-get="${elsewhere}" hx-push-url="true" hx-target="#main">Away</button></main>`,
    { after: await snippet('htmx', 2), options: { messages: undefined } },
  );
  await widgetPage.enterRejected(NO);
  await page.locator('#away').click();
  await expect(page.getByRole('heading', { name: 'Elsewhere' })).toBeVisible();
  await page.goBack();
  await expect(widgetPage.email).toBeVisible();
  await widgetPage.expectOwnAttributes();
  await expect(widgetPage.status).toHaveCount(0);
  await rejectedStaysBlocked(widgetPage);
  await heldGoesOnce(widgetPage);
});
