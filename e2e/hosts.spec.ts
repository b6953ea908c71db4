/** Pages that show the form in their own way: components, frames, routes, loaders, posts by fetch. */
import {
  eachRow,
  expect,
  FORM,
  JOE,
  NO,
  PATIENT,
  PUBLIC_KEY,
  QUEUE_STUB,
  TEXTS,
  test,
  UNHURRIED,
} from './fixtures.ts';
import { documentOf } from './pages/documents.ts';
import {
  heldGoesOnce,
  leavesNothingBehind,
  rejectedStaysBlocked,
  suggestionIsTaken,
} from './pages/journeys.ts';
import { snippet } from './pages/snippets.ts';
import type { OpenOptions, WidgetPage } from './pages/widget-page.ts';

test.afterEach(({ widgetPage }) => {
  expect(widgetPage.consoleErrors).toEqual([]);
});

/** Posts like plugins of content management systems. */
const POSTS_BY_FETCH = `document.querySelectorAll('form.wpcf7-form').forEach(function (form) {
  form.addEventListener('submit', function (event) {
    event.preventDefault();
    var body = new FormData(form, event.submitter);
    form.setAttribute('data-status', 'submitting');
    fetch(form.action, { method: 'POST', body: body }).then(function () {
      form.setAttribute('data-status', 'sent');
      form.reset();
    });
  });
});`;

test("works in a form like Contact Form 7's: novalidate, sent by fetch, reset", async ({ widgetPage }) => {
  await widgetPage.open(
    FORM.replace('<form', '<form class="wpcf7-form init" novalidate data-status="init"'),
    { after: POSTS_BY_FETCH },
  );
  await suggestionIsTaken(widgetPage);
  await rejectedStaysBlocked(widgetPage);
  expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ note: '', via: 'button' });
  await expect(widgetPage.page.locator('#form')).toHaveAttribute('data-status', 'sent');
  await expect(widgetPage.email).toHaveValue('');
  await widgetPage.expectState(null);
  await heldGoesOnce(widgetPage);
});

test('works in a component with an open shadow root, which posts its form itself', async ({ widgetPage }) => {
  const { page } = widgetPage;
  await widgetPage.open('<sign-up></sign-up>', {
    before: `customElements.define('sign-up', class extends HTMLElement {
      heard = [];
      constructor() {
        super();
        this.attachShadow({ mode: 'open' }).innerHTML = '<form><input id="email" name="email" type="email"><input id="note"><button id="send">Send</button></form>';
        const form = this.shadowRoot.querySelector('form');
        form.addEventListener('submit', (event) => {
          event.preventDefault();
          fetch('/submit', { method: 'POST', body: new FormData(form) });
        });
        this.addEventListener('verified', (event) => this.heard.push(event.detail.accepted));
      }
    });`,
  });
  await suggestionIsTaken(widgetPage);
  await rejectedStaysBlocked(widgetPage);
  await heldGoesOnce(widgetPage);
  expect(await page.evaluate("document.querySelector('sign-up').heard")).toEqual([false, true, false, true]);
  await leavesNothingBehind(widgetPage, () => page.evaluate("document.querySelector('sign-up').remove()"));
});

test('works in views that a single-page app swaps with history.pushState', async ({ page, widgetPage }) => {
  await widgetPage.open('<nav><a href="/contact">Contact</a> <a href="/about">About</a></nav><main></main>', {
    ...PATIENT,
    after: `var views = { '/contact': ${JSON.stringify(FORM)}, '/about': '<h1>About</h1>' };
      function show() {
        document.querySelector('main').innerHTML = views[location.pathname];
        var form = document.querySelector('form');
        if (form) form.onsubmit = function (event) {
          event.preventDefault();
          fetch('/submit', { method: 'POST', body: new FormData(form) });
        };
      }
      addEventListener('popstate', show);
      document.addEventListener('click', function (event) {
        if (!event.target.href) return;
        event.preventDefault();
        history.pushState(null, '', event.target.href);
        show();
      });`,
  });
  const away = () => page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('link', { name: 'Contact' }).click();
  await leavesNothingBehind(widgetPage, away);
  await page.goBack();
  await suggestionIsTaken(widgetPage);
  await rejectedStaysBlocked(widgetPage);
  await heldGoesOnce(widgetPage);

  // A submission from a removed view is not sent later.
  widgetPage.service.hold();
  await widgetPage.email.fill(JOE);
  await widgetPage.send.click();
  await expect.poll(() => widgetPage.service.asked).toContain(JOE);
  await away();
  await widgetPage.settle(1_000);
  widgetPage.service.release();
  await widgetPage.expectSubmissions(1, 2_000);
});

test('works in a form in a frame, whose document embeds the widget', async ({ page, site, widgetPage }) => {
  const html = documentOf({
    body: FORM,
    embed: 'queue',
    options: { apiKey: PUBLIC_KEY, messages: TEXTS },
    serviceOrigin: widgetPage.service.origin,
  });
  const frame = page.frameLocator('#frame');
  const form = { frame, input: frame.locator('#email'), send: frame.locator('#send') };
  const sources = {
    'of its own': `src="${site.html(html)}"`,
    'in srcdoc': `srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  };
  await eachRow(sources, async (source) => {
    await widgetPage.open(`<iframe id="frame" ${source} width="600" height="400"></iframe>`, {
      embed: 'none',
    });
    await rejectedStaysBlocked(widgetPage, form);
    await heldGoesOnce(widgetPage, form);
  });
  await suggestionIsTaken(widgetPage, form);
  const goAway = () => page.evaluate("document.getElementById('frame').remove()");
  await leavesNothingBehind(widgetPage, goAway, form);
});

test.describe('with a tag manager that loads the widget late', () => {
  async function openWithout(widgetPage: WidgetPage, clock: OpenOptions['clock'] = 'flowing'): Promise<void> {
    await widgetPage.open(FORM.replace('<form', '<form class="wpcf7-form" novalidate'), {
      embed: 'none',
      clock,
      after: POSTS_BY_FETCH,
    });
    await widgetPage.pass(10_000);
  }

  async function bring({ page, service, site }: WidgetPage): Promise<void> {
    const settings = JSON.stringify({ apiKey: PUBLIC_KEY, messages: TEXTS });
    const tag = site.script(`${QUEUE_STUB} emailVerify(${settings});
      var tag = document.createElement('script');
      tag.async = true;
      tag.src = '${service.origin}/v2/';
      var first = document.getElementsByTagName('script')[0];
      first.parentNode.insertBefore(tag, first);`);
    await page.addScriptTag({ url: tag });
    // Not by frames, which do not come while the page's clock stands still.
    await page.waitForFunction('emailVerify.q === undefined', undefined, { polling: 20 });
  }

  test('verifies a submission if the visitor has typed before', async ({ service, widgetPage }) => {
    await openWithout(widgetPage);
    await widgetPage.email.fill(NO);
    await bring(widgetPage);
    await widgetPage.expectNoRequest();
    await widgetPage.send.click();
    await widgetPage.expectState('rejected');
    await widgetPage.expectSubmissions(0, 500);
    await suggestionIsTaken(widgetPage);
    await heldGoesOnce(widgetPage);
    expect(service.asked[0]).toBe(NO);
  });

  test('verifies if the visitor has typed before and goes on typing', async ({ service, widgetPage }) => {
    // However slowly the keys come, the address is verified only when all of it is there.
    await openWithout(widgetPage, 'paused');
    await widgetPage.email.pressSequentially('no@exam');
    await bring(widgetPage);
    await widgetPage.page.keyboard.type('ple.com');
    await widgetPage.pass(1_000);
    await widgetPage.expectState('rejected');
    expect(service.asked).toEqual([NO]);
    await rejectedStaysBlocked(widgetPage);
  });

  test('verifies the second submission if the visitor has submitted before', async ({ widgetPage }) => {
    await openWithout(widgetPage);
    await widgetPage.email.fill(NO);
    await widgetPage.send.click();
    expect(await widgetPage.sent()).toMatchObject({ email: NO });
    await bring(widgetPage);
    await widgetPage.expectSubmissions(1, 1_000);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });
});

test.describe('with the lines in docs/pages.md', () => {
  const FIELDS = '<input id="email" name="email" type="email"> <button id="send">Send</button>';

  /** A page with the lines from under a heading at its end. */
  async function openWith(widgetPage: WidgetPage, body: string, heading: string, number = 1): Promise<void> {
    await widgetPage.open(body, { ...PATIENT, after: await snippet(heading, number) });
  }

  test('verifies before a click that posts by itself', async ({ widgetPage }) => {
    const body = `<form action="/submit">${FIELDS.replace('<button', '<button type="button"')}</form>`;
    await openWith(widgetPage, body, 'Posting from a click');
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });

  test('verifies before a click without a form', async ({ service, widgetPage }) => {
    await openWith(widgetPage, FIELDS, 'Posting from a click', 2);
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    service.hold();
    await widgetPage.email.fill(JOE);
    await widgetPage.send.click();
    await expect.poll(() => service.asked).toContain(JOE);
    await expect(widgetPage.send).toBeDisabled();
    await widgetPage.expectSubmissions(0, 500);
    service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE });
  });

  test('verifies before form.submit()', async ({ page, widgetPage }) => {
    await openWith(
      widgetPage,
      `<form id="form" action="/submit" method="post">${FIELDS}</form>`,
      'form.submit()',
    );
    await page.evaluate(`document.getElementById('send').type = 'button';
      document.getElementById('send').onclick = function () { document.getElementById('form').submit() };`);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });

  test('holds the submission of a control that submits by script', async ({ page, widgetPage }) => {
    const submit = await snippet('A submit event from a script');
    const button = '<button name="via" value="button" hidden>Send</button>';
    await widgetPage.open(
      `<form class="wpcf7-form" action="/submit">${FIELDS.replace(/<button.*/, button)}</form><span id="send" role="button" tabindex="0">Send</span>`,
      { after: `${POSTS_BY_FETCH} document.getElementById('send').onclick = function () { ${submit} };` },
    );
    await rejectedStaysBlocked(widgetPage, { send: page.locator('#send') });
    expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ via: 'button' });
  });

  test('works in a form in a closed shadow root', async ({ page, service, widgetPage }) => {
    await widgetPage.open('<sign-up></sign-up><input id="note">', {
      ...UNHURRIED,
      after: await snippet('Closed shadow roots'),
      // The test cannot see into it either, so it uses the keyboard.
      before: `window.said = []; addEventListener('verified', function (event) { said.push(event.detail.accepted) });`,
    });
    const type = async (address: string) => {
      await page.locator('sign-up').evaluate((host) => (host as HTMLElement).click());
      await page.locator('sign-up').click({ position: { x: 20, y: 8 } });
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(address);
    };
    await type(NO);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('said')).toEqual([false]);
    await page.keyboard.press('Enter');
    await widgetPage.expectSubmissions(0, 1_000);
    service.hold();
    await type(JOE);
    await page.keyboard.press('Enter');
    await expect.poll(() => service.asked).toEqual([NO, JOE]);
    await page.keyboard.press('Enter');
    await widgetPage.expectSubmissions(0, 500);
    service.release();
    expect(await widgetPage.sentOnce()).toEqual({ email: JOE });
  });

  test('works in a form-associated element', async ({ page, widgetPage }) => {
    await widgetPage.open(
      '<form id="form" class="wpcf7-form" action="/submit"><email-field name="email"></email-field><button id="send">Send</button></form>',
      { after: `${await snippet('Form-associated custom elements')}; ${POSTS_BY_FETCH}` },
    );
    // The visitor has typed nothing, so the widget sends no request.
    await widgetPage.send.click();
    await widgetPage.sent();
    await expect(page.locator('#form')).toHaveAttribute('data-status', 'sent');
    const input = page.locator('email-field input');
    const form = {
      input,
      model: () => page.evaluate("new FormData(document.getElementById('form')).get('email')"),
    };
    await suggestionIsTaken(widgetPage, form);
    await rejectedStaysBlocked(widgetPage, form);
    await heldGoesOnce(widgetPage, form);
    await widgetPage.enterAccepted(JOE, input);
    await widgetPage.send.click();
    expect(await widgetPage.sent(3)).toEqual({ email: JOE });
    const goAway = () => page.evaluate("document.getElementById('form').remove()");
    await leavesNothingBehind(widgetPage, goAway, form);
  });
});
