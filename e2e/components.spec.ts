/** Inputs made with `email-verify-widget/react` and `/vue`, which share one widget. In development builds. */
import { markupOf, scriptOf } from './frameworks/bundle.ts';
import { deliverable, expect, PUBLIC_KEY, status, test, undeliverable } from './frameworks/fixtures.ts';
import { passJourneys } from './frameworks/journeys.ts';
import { rejectedStaysBlocked, suggestionIsTaken, waitLong } from './pages/journeys.ts';
import type { OpenOptions, WidgetPage } from './pages/widget-page.ts';

const NO = 'no@example.com';
const FREE = 'jane@free.example';

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
  service.answer(FREE, deliverable({ free: true }));
});

/** Opens the app in a page that does not embed the widget itself, unless a test says otherwise. */
async function open(
  widgetPage: WidgetPage,
  client: string,
  markup = '',
  { app = 'components', ...more }: OpenOptions & { app?: string } = {},
) {
  const { page, site } = widgetPage;
  await widgetPage.open(`<div id="app" class="${app}">${markup}</div>`, { embed: 'none', ...more });
  await page.addScriptTag({ url: site.script(await scriptOf(client)), type: 'module' });
  await expect(work(widgetPage)).toBeVisible();
}

const work = ({ page }: WidgetPage) => page.locator('[name=work]');
const saidOfWork = ({ page }: WidgetPage) => page.locator('label output');

for (const [name, client, server] of [
  ['React, in strict mode', 'react/client.tsx', 'react/server.tsx'],
  ['Vue', 'vue/client.ts', 'vue/server.ts'],
] as const) {
  test.describe(name, () => {
    test('passes the journeys of all pages, and leaves nothing behind at the end', async ({ widgetPage }) => {
      await open(widgetPage, client);
      await passJourneys(widgetPage);
    });

    test('knows the state of its input, with its own options', async ({ service, widgetPage }) => {
      await open(widgetPage, client);
      const input = work(widgetPage);
      const said = saidOfWork(widgetPage);
      await expect(said).toHaveText('');
      await waitLong(input, { verifyAfterDelay: 1_000_000 });
      service.hold();
      await input.fill(FREE);
      await expect(said).toHaveText('waiting');
      await input.press('Tab');
      await expect(said).toHaveText('verifying');
      await service.nextRequest();
      service.release();
      await expect(said).toHaveText('Please use a business address.');
      await input.fill('jane@work.example');
      await expect(said).toHaveText('waiting');
      await input.press('Tab');
      await expect(said).toHaveText('accepted');
      await input.fill('');
      await expect(said).toHaveText('');
      // The other input does not have this policy. An input without the component is not verified.
      await widgetPage.enterAccepted(FREE);
      await widgetPage.enter(NO, widgetPage.page.locator('#stranger'));
      await widgetPage.expectNoRequest();
    });

    test('shares one widget, which keeps its results from one view to the next', async ({ widgetPage }) => {
      const { page, service } = widgetPage;
      await open(widgetPage, client);
      await widgetPage.enterRejected(NO, work(widgetPage));
      await page.locator('#turn').click();
      await widgetPage.expectState('rejected', work(widgetPage));
      // One view goes and another comes. The results stay.
      await page.locator('#turn').click();
      await widgetPage.enterRejected(NO);
      expect(service.asked).toEqual([NO]);
      await page.locator('#turn-second').click();
      await widgetPage.expectState('rejected');
      await page.locator('#turn').click();
      await widgetPage.pass(500);
      await expect(widgetPage.status).toHaveCount(0);
    });

    test('takes over the markup of its server without a warning', async ({ complaints, widgetPage }) => {
      const markup = await markupOf(server, 'components');
      await open(widgetPage, client, markup);
      expect(complaints).toEqual([]);
      await suggestionIsTaken(widgetPage, { model: () => widgetPage.page.locator('#model').textContent() });
      await widgetPage.enter(FREE, work(widgetPage));
      await expect(saidOfWork(widgetPage)).toHaveText('Please use a business address.');
      await rejectedStaysBlocked(widgetPage);
    });

    test('gives a listener of `error` the failure’s detail', async ({ page, service, widgetPage }) => {
      await open(widgetPage, client, '', { app: 'changing' });
      service.answer('trouble@example.com', status(503, 'Back soon.'));
      await widgetPage.enter('trouble@example.com');
      await expect(page.locator('#failure')).toHaveText('Back soon.');
    });

    test('decides again when `allow` or `messages` change', async ({ page, service, widgetPage }) => {
      await open(widgetPage, client, '', { app: 'changing' });
      const inputs = [widgetPage.email, work(widgetPage)];
      for (const input of inputs) {
        await widgetPage.enterAccepted(FREE, input);
      }
      await page.locator('#forbid').click();
      for (const input of inputs) {
        await widgetPage.expectState('rejected', input);
        await expect(await widgetPage.statusOf(input)).toHaveText('Please use a business address.');
      }
      await page.locator('#send').click();
      await widgetPage.expectSubmissions(0, 500);
      await page.locator('#reword').click();
      for (const input of inputs) {
        await expect(await widgetPage.statusOf(input)).toHaveText('At work, please.');
      }
      expect(service.asked).toEqual([FREE]);
    });

    test('stops verifying while the key is empty', async ({ complaints, page, service, widgetPage }) => {
      await open(widgetPage, client, '', { app: 'changing' });
      await widgetPage.enterRejected(NO);
      await page.locator('#no-key').click();
      await widgetPage.expectState(null);
      await expect(widgetPage.status).toHaveCount(0);
      await widgetPage.enter(FREE);
      await widgetPage.expectNoRequest();
      await page.locator('#key').click();
      await widgetPage.enterAccepted('jane@work.example');
      expect(service.asked).toEqual([NO, 'jane@work.example']);
      // A widget without a key may warn the page's author.
      const others = complaints.filter((text) => !text.includes('option apiKey: Expected a public key'));
      complaints.splice(0, complaints.length, ...others);
    });

    test('does not change a widget that the page embeds, and warns', async ({ complaints, widgetPage }) => {
      const options = {
        apiKey: PUBLIC_KEY,
        inputSelector: 'input[data-email-verify-field]',
        messages: undefined,
      };
      await open(widgetPage, client, '', { embed: 'queue', options });
      await expect.poll(() => complaints).toHaveLength(1);
      expect(complaints.splice(0)).toEqual([expect.stringContaining("The page's own ignores")]);
      await widgetPage.enterRejected(NO);
      for (const id of ['turn', 'turn-second']) await widgetPage.page.locator(`#${id}`).click();
      await expect(work(widgetPage)).toHaveCount(0);
      expect(await widgetPage.page.evaluate(() => Symbol.for('email-verify-widget') in window)).toBe(true);
      await widgetPage.page.locator('#turn').click();
      await rejectedStaysBlocked(widgetPage);
    });
  });
}

test('passes the input to a ref to an EmailInput of React', async ({ page, widgetPage }) => {
  await open(widgetPage, 'react/client.tsx');
  await page.locator('#focus').click();
  await expect(widgetPage.email).toBeFocused();
});
