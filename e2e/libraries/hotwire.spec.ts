/** Pages made with Turbo, which swaps the body and keeps copies of old pages, and with Stimulus. */
import { expect, FORM, NO, TEXTS, test, text } from '../fixtures.ts';
import {
  heldGoesOnce,
  leavesNothingBehind,
  rejectedStaysBlocked,
  suggestionIsTaken,
} from '../pages/journeys.ts';
import { snippet } from '../pages/snippets.ts';
import type { WidgetPage } from '../pages/widget-page.ts';

test.afterEach(({ widgetPage }) => {
  expect(widgetPage.consoleErrors).toEqual([]);
});

test.describe('Turbo', () => {
  const TURBO = '<script src="/node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js"></script>';

  async function open(widgetPage: WidgetPage, body = FORM): Promise<{ elsewhere: string }> {
    const { page, site } = widgetPage;
    const elsewhere = site.html('<!doctype html><title>Elsewhere</title><body><h1>Elsewhere</h1></body>');
    site.thanks = { status: 303, headers: { location: elsewhere }, body: '' };
    await widgetPage.open(body, {
      head: `${TURBO}<script>${await snippet('Turbo')}</script>`,
      options: { messages: undefined },
    });
    // A full load would remove this.
    await page.evaluate('window.isStill = true');
    return { elsewhere };
  }

  async function expectVisited({ page }: WidgetPage): Promise<void> {
    await expect(page.getByRole('heading', { name: 'Elsewhere' })).toBeVisible();
    expect(await page.evaluate('window.isStill')).toBe(true);
  }

  test('works in a form that Turbo submits, and on the next page', async ({ widgetPage }) => {
    await open(widgetPage);
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ via: 'button' });
    await expectVisited(widgetPage);
    await expect(widgetPage.status).toHaveCount(0);
  });

  test('works on a page that a visit leaves and that is shown again', async ({ page, widgetPage }) => {
    const { elsewhere } = await open(widgetPage);
    await leavesNothingBehind(widgetPage, async () => {
      await page.evaluate((path) => Reflect.get(window, 'Turbo').visit(path), elsewhere);
      await expectVisited(widgetPage);
    });
    await page.goBack();
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
    await expectVisited(widgetPage);
  });

  test('leaves nothing in the copy of a page, with the lines in docs/pages.md', async ({ widgetPage }) => {
    const { elsewhere } = await open(widgetPage);
    await widgetPage.enterRejected(NO);
    await widgetPage.page.evaluate((path) => Reflect.get(window, 'Turbo').visit(path), elsewhere);
    await expectVisited(widgetPage);
    await widgetPage.page.goBack();
    await expect(widgetPage.email).toHaveValue(NO);
    await widgetPage.expectOwnAttributes();
    await expect(widgetPage.status).toHaveCount(0);
    await widgetPage.send.click();
    await widgetPage.expectState('rejected');
    await widgetPage.expectSubmissions(0, 1_000);
    await expect(widgetPage.status).toHaveCount(1);
  });

  test('works in a form in a frame, which the response replaces', async ({ page, site, widgetPage }) => {
    await open(widgetPage, `<turbo-frame id="frame">${FORM}</turbo-frame>`);
    const answer = (body: string) => `<turbo-frame id="frame">${body}</turbo-frame>`;
    const html = { 'content-type': 'text/html' };
    site.thanks = { status: 200, headers: html, body: answer(FORM) };
    await heldGoesOnce(widgetPage);
    await expect(widgetPage.email).toHaveValue('');
    await rejectedStaysBlocked(widgetPage);
    site.thanks = { status: 200, headers: html, body: answer('Thank you') };
    await heldGoesOnce(widgetPage);
    await expect(page.getByText('Thank you')).toBeVisible();
    await widgetPage.settle(1_000);
    await expect(widgetPage.status).toHaveCount(0);
  });
});

test('passes events to a Stimulus controller, which posts what comes through', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  service.answer('trouble@example.com', text('nonsense'));
  await widgetPage.open(
    FORM.replace('<form', '<form data-controller="signup" data-action="submit->signup#send"').replace(
      'type="email"',
      `type="email" data-signup-target="email"
        data-action="input->signup#typed verified->signup#verified error->signup#failed"`,
    ),
    {
      head: '<script src="/node_modules/@hotwired/stimulus/dist/stimulus.umd.js"></script>',
      after: `window.heard = [];
        Stimulus.Application.start().register('signup', class extends Stimulus.Controller {
          static targets = ['email'];
          typed() { window.model = this.emailTarget.value }
          verified({ detail }) { heard.push(detail.message) }
          failed({ detail }) { heard.push(detail.status) }
          send(event) {
            event.preventDefault();
            fetch('/submit', { method: 'POST', body: new FormData(this.element) });
          }
          disconnect() { heard.push('disconnected') }
        });`,
    },
  );
  await suggestionIsTaken(widgetPage, { model: () => page.evaluate('model') });
  await rejectedStaysBlocked(widgetPage);
  await heldGoesOnce(widgetPage);
  await widgetPage.enter('trouble@example.com');
  await widgetPage.expectState('error');
  await leavesNothingBehind(widgetPage, () => page.evaluate('form.remove()'));
  const heard = (await page.evaluate('heard')) as unknown[];
  expect(heard.slice(1)).toEqual(['', TEXTS.invalid, '', 200, 'disconnected']);
});
