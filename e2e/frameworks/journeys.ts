/** What an app must do, with whatever framework it is made. */
import {
  heldGoesOnce,
  leavesNothingBehind,
  rejectedStaysBlocked,
  suggestionIsTaken,
} from '../pages/journeys.ts';
import type { WidgetPage } from '../pages/widget-page.ts';
import { markupOf, type Reader, scriptOf } from './bundle.ts';
import { expect, JOE, NO, PATIENT, status, TEXTS, test } from './fixtures.ts';

/** An app. Its files are seen from this folder. */
export interface Framework {
  readonly client: string;
  /** The script that renders the same on a server. */
  readonly server?: string;
  /** Whether its state takes over what the visitor has typed before the framework started. */
  readonly keepsTyped?: boolean;
  readonly reader?: Reader;
}

/** The app's place on the page, with the markup of its server, if it has one. */
export const place = (markup = '', name = 'app') => `<div id="app" class="${name}">${markup}</div>`;

/** Starts the framework, perhaps after the visitor has begun. */
export async function start({ page, site }: WidgetPage, client: string, reader?: Reader): Promise<void> {
  await page.addScriptTag({ url: site.script(await scriptOf(client, reader)), type: 'module' });
}

/** Marks the input. @returns a function that tells whether it is still the same input */
export async function markInput({ email }: WidgetPage): Promise<() => Promise<boolean>> {
  await email.evaluate((input) => Object.assign(window, { marked: input }));
  return () => email.evaluate((input) => Reflect.get(window, 'marked') === input);
}

/** The journeys of all pages, in an app that has just started and heard nothing. Its button `#turn` removes its view. */
export async function passJourneys(widgetPage: WidgetPage): Promise<void> {
  const { page, service } = widgetPage;
  await test.step('leaves nothing behind when a view goes away', async () => {
    const turn = page.locator('#turn');
    await leavesNothingBehind(widgetPage, () => turn.click());
    await turn.click();
  });
  await test.step('puts a suggestion into the state', () =>
    suggestionIsTaken(widgetPage, { model: () => page.locator('#model').textContent() }));
  await test.step('never passes a rejection to the handler', () => rejectedStaysBlocked(widgetPage));
  await test.step('handles a held submission once, with its submitter', async () => {
    expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ via: 'button' });
  });
  await test.step('passes events to the app’s own listeners', async () => {
    service.answer('trouble@example.com', status(500));
    await widgetPage.enter('trouble@example.com');
    await expect(page.locator('#heard')).toHaveText(
      'verified false; verified true; verified false; verified true; error 500;',
    );
  });
}

/** The journeys of all pages in an app, and taking over the markup of its server. */
export function testFramework(name: string, { client, server, keepsTyped, reader }: Framework): void {
  test.describe(name, () => {
    test('passes the journeys of all pages, and leaves nothing behind at the end', async ({ widgetPage }) => {
      const { page, service } = widgetPage;
      const [turn, tip, heard] = [page.locator('#turn'), page.locator('#tip'), page.locator('#heard')];
      await widgetPage.open(place(), PATIENT);
      await start(widgetPage, client, reader);

      await test.step('drops a held submission with its view, without an event', async () => {
        service.hold();
        await widgetPage.email.fill(JOE);
        await widgetPage.send.click();
        await service.nextRequest();
        // In one task: the response arrives before anything that runs from time to time has noticed.
        await turn.evaluate((button: HTMLElement) => button.click());
        service.release();
        await widgetPage.expectSubmissions(0, 1_000);
        await turn.click();
        await widgetPage.expectSubmissions(0, 500);
        await expect(heard).toHaveText('');
      });
      await passJourneys(widgetPage);
      await test.step('keeps the description of an input that is rendered again', async () => {
        await widgetPage.enterRejected(NO);
        const id = await (await widgetPage.statusOf(widgetPage.email)).getAttribute('id');
        for (const description of [`tip-text ${id}`, `${id}`]) {
          await tip.click();
          await widgetPage.pass(500);
          await expect(widgetPage.email).toHaveAttribute('aria-describedby', description);
          await widgetPage.expectState('rejected');
          await widgetPage.expectCustomValidity(TEXTS.invalid);
        }
      });
      await test.step('removes a message with its view', async () => {
        await expect(widgetPage.status).toHaveText(TEXTS.invalid);
        await turn.click();
        await widgetPage.pass(500);
        await expect(widgetPage.status).toHaveCount(0);
      });
    });

    if (server === undefined) return;

    const BEFORE: Record<string, (widgetPage: WidgetPage) => Promise<void>> = {
      'has not been touched': async () => {},
      'has been entered': ({ email }) => email.focus(),
      'has a verdict': async (widgetPage) => {
        await widgetPage.enterRejected(NO);
      },
    };
    test('takes over the markup of its server', async ({ page, widgetPage }) => {
      const markup = place(await markupOf(server, undefined, reader));
      for (const [what, begin] of Object.entries(BEFORE)) {
        await test.step(`that ${what}`, async () => {
          await widgetPage.open(markup);
          const isSame = await markInput(widgetPage);
          await begin(widgetPage);
          const typed = await widgetPage.email.inputValue();
          await start(widgetPage, client, reader);
          // The rest of the page has its handlers.
          await page.locator('#tip').click();
          await expect(widgetPage.email).toHaveAttribute('aria-describedby', /tip-text/);
          await widgetPage.pass(500);
          expect(await isSame(), 'the input is the one that the server has rendered').toBe(true);
          await expect(widgetPage.email).toHaveValue(keepsTyped ? typed : '');
          await widgetPage.expectState(keepsTyped && typed ? 'rejected' : null);
          await suggestionIsTaken(widgetPage, { model: () => page.locator('#model').textContent() });
          await expect(widgetPage.status).toHaveCount(1);
        });
      }
    });
  });
}
