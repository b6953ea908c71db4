/** When "Checking …" is shown: only to a visitor who waits, or who has submitted. */
import { expect, FORM, JOE, TEXTS, test, undeliverable } from './fixtures.ts';

/** Runs inside the page. Records every text that a status element has shown. */
const WATCH = `texts = [];
  (function watch() {
    document.querySelectorAll('.email-verify-status').forEach(function (status) {
      var text = status.shadowRoot.textContent;
      if (text && texts.indexOf(text) < 0) texts.push(text);
      if (!status.watched) {
        status.watched = true;
        new MutationObserver(watch).observe(status.shadowRoot, { childList: true, subtree: true, characterData: true });
      }
    });
    if (!window.watching) {
      watching = new MutationObserver(watch);
      watching.observe(document, { childList: true, subtree: true });
    }
  })();`;

test('does not show "Checking …" before a response within 300 ms', async ({ page, service, widgetPage }) => {
  service.answer(JOE, undeliverable());
  service.hold();
  await widgetPage.open(FORM, { clock: 'paused' });
  await widgetPage.email.focus();
  await widgetPage.pass(10);
  // The second file is there. It may come after a response.
  await expect(widgetPage.status).toHaveCount(1);
  await page.evaluate(WATCH);
  await widgetPage.enter(JOE);
  await service.nextRequest();
  await widgetPage.pass(290);
  await widgetPage.expectState('verifying');
  await expect(widgetPage.email).toHaveAttribute('aria-busy', 'true');
  await widgetPage.release('rejected');
  await widgetPage.pass(1_000);
  expect(await page.evaluate('texts')).toEqual([TEXTS.invalid]);
});

test('starts the 300 ms again for the next address', async ({ service, widgetPage }) => {
  service.hold();
  await widgetPage.open(FORM, { clock: 'paused' });
  await widgetPage.email.focus();
  await widgetPage.pass(10);
  await expect(widgetPage.status).toHaveCount(1);
  await widgetPage.enter(JOE);
  await service.nextRequest();
  await widgetPage.pass(300);
  await expect(widgetPage.status).toHaveText(TEXTS.verifying);
  await widgetPage.enter('ann@example.com');
  await service.nextRequest();
  await expect(widgetPage.status).toHaveText('');
  await widgetPage.pass(290);
  await expect(widgetPage.status).toHaveText('');
});

test('shows "Checking …" at once for a held submission', async ({ service, widgetPage }) => {
  service.hold();
  await widgetPage.open(FORM, { clock: 'paused' });
  await widgetPage.email.fill(JOE);
  await widgetPage.pass(10);
  // The face is there. It would show what stands at the next look, for which the clock stands still.
  await expect(widgetPage.status).toHaveCount(1);
  await widgetPage.send.click();
  await service.nextRequest();
  await expect(widgetPage.status).toHaveText(TEXTS.verifying);
});

test('shows "Checking …" at once for a submission during a quick request', async ({ widgetPage }) => {
  await widgetPage.enterWhilePending(JOE, FORM, { clock: 'paused' });
  await widgetPage.pass(100);
  await expect(widgetPage.status).toHaveText('');
  await widgetPage.send.click();
  await expect(widgetPage.status).toHaveText(TEXTS.verifying);
});
