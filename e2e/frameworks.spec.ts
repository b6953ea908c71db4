/** Pages made with a framework, in its development build, which renders again at any time and prints warnings. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Locator } from '@playwright/test';
import { markupOf, scriptOf } from './frameworks/bundle.ts';
import { expect, PUBLIC_KEY, status, TEXTS, test, undeliverable } from './frameworks/fixtures.ts';
import {
  heldGoesOnce,
  leavesNothingBehind,
  rejectedStaysBlocked,
  suggestionIsTaken,
} from './pages/journeys.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';

interface Framework {
  readonly client: string;
  /** The script that renders the same on a server. */
  readonly server?: string;
  /** Whether its state takes over what the visitor has typed before the framework started. */
  readonly keepsTyped?: boolean;
}

const FRAMEWORKS: Record<string, Framework> = {
  React: { client: 'react/client.tsx', server: 'react/server.tsx', keepsTyped: false },
  Vue: { client: 'vue/client.ts', server: 'vue/server.ts', keepsTyped: false },
  Svelte: { client: 'svelte/client.ts', server: 'svelte/server.ts', keepsTyped: true },
  Angular: { client: 'angular/client.ts' },
  Preact: { client: 'preact/client.tsx', server: 'preact/server.tsx', keepsTyped: false },
};

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
});

/** The app's place on the page, with the markup of its server, if it has one. */
const place = (markup = '', name = 'app') => `<div id="app" class="${name}">${markup}</div>`;

/** Starts the framework, perhaps after the visitor has begun. */
async function start({ page, site }: WidgetPage, client: string): Promise<void> {
  await page.addScriptTag({ url: site.script(await scriptOf(client)), type: 'module' });
}

/** Marks the input. @returns a function that tells whether it is still the same input */
async function markInput({ email }: WidgetPage): Promise<() => Promise<boolean>> {
  await email.evaluate((input) => Object.assign(window, { marked: input }));
  return () => email.evaluate((input) => Reflect.get(window, 'marked') === input);
}

for (const [name, { client, server, keepsTyped }] of Object.entries(FRAMEWORKS)) {
  test.describe(name, () => {
    test('passes the journeys of all pages, and leaves nothing behind when its view goes', async ({
      page,
      service,
      widgetPage,
    }) => {
      const [turn, tip, heard, model] = ['turn', 'tip', 'heard', 'model'].map((id) =>
        page.locator(`#${id}`),
      ) as [Locator, Locator, Locator, Locator];
      const form = { model: () => model.textContent() };
      await widgetPage.open(place());
      await start(widgetPage, client);

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
      await test.step('leaves nothing behind when a view goes away', async () => {
        await leavesNothingBehind(widgetPage, () => turn.click());
        await turn.click();
      });
      await test.step('puts a suggestion into the state', () => suggestionIsTaken(widgetPage, form));
      await test.step('never passes a rejection to the handler', () => rejectedStaysBlocked(widgetPage));
      await test.step('handles a held submission once, with its submitter', async () => {
        expect((await heldGoesOnce(widgetPage)).fields).toMatchObject({ via: 'button' });
      });
      await test.step('passes events to the framework’s own listeners', async () => {
        service.answer('trouble@example.com', status(500));
        await widgetPage.enter('trouble@example.com');
        await expect(heard).toHaveText(
          'verified false; verified true; verified false; verified true; error 500;',
        );
      });
      await test.step('keeps the description of an input that is rendered again', async () => {
        await widgetPage.enter(NO);
        await widgetPage.expectState('rejected');
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
        await widgetPage.enter(NO);
        await widgetPage.expectState('rejected');
      },
    };
    test('takes over the markup of its server', async ({ page, widgetPage }) => {
      const markup = place(await markupOf(server));
      for (const [what, begin] of Object.entries(BEFORE)) {
        await test.step(`that ${what}`, async () => {
          await widgetPage.open(markup);
          const isSame = await markInput(widgetPage);
          await begin(widgetPage);
          const typed = await widgetPage.email.inputValue();
          await start(widgetPage, client);
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

test.describe('React', () => {
  const { client, server } = FRAMEWORKS.React as Required<Framework>;

  test('runs a form action once, and empties the form after it', async ({ page, widgetPage }) => {
    await widgetPage.open(place('', 'action'));
    await start(widgetPage, client);
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    const [send, later] = [
      await heldGoesOnce(widgetPage),
      await heldGoesOnce(widgetPage, { send: page.locator('#later') }),
    ];
    expect(send.fields).toMatchObject({ via: 'button' });
    expect(later.fields).not.toHaveProperty('via');
    await expect(page.locator('#signed-up')).toHaveText(send.fields.email!);
    await expect(page.locator('#postponed')).toHaveText(later.fields.email!);
    await expect(widgetPage.email).toHaveValue('');
    await widgetPage.expectState(null);
  });

  const VERDICTS = { 'before React comes': true, 'after React has come': false };
  for (const [when, isEarly] of Object.entries(VERDICTS)) {
    test(`runs a form action once that is started before React has loaded, with a verdict ${when}`, async ({
      service,
      site,
      widgetPage,
    }) => {
      await widgetPage.sendWhilePending(JOE, place(await markupOf(server, 'action'), 'action'));
      if (isEarly) {
        service.release();
        await widgetPage.expectState('accepted');
      }
      await start(widgetPage, client);
      if (!isEarly) {
        await widgetPage.expectSubmissions(0, 500);
        service.release();
      }
      expect((await site.submission()).fields).toEqual({ email: JOE, via: 'button' });
      await widgetPage.expectSubmissions(1, 1_000);
      await expect(widgetPage.email).toHaveValue('');
      await widgetPage.expectState(null);
    });
  }

  test('takes over a whole document, with the status in it', async ({ page, widgetPage }) => {
    await widgetPage.openDocument(`<!doctype html>${await markupOf(server, 'document')}`);
    const isSame = await markInput(widgetPage);
    await widgetPage.enter(NO);
    await widgetPage.expectState('rejected');
    await start(widgetPage, client);
    await page.locator('#tip').click();
    await expect(widgetPage.email).toHaveAttribute('aria-describedby', /tip-text/);
    expect(await isSame()).toBe(true);
    await expect(widgetPage.status).toHaveCount(1);
    await rejectedStaysBlocked(widgetPage);
    await suggestionIsTaken(widgetPage, { model: () => page.locator('#model').textContent() });
    await page.locator('#turn').click();
    await widgetPage.pass(500);
    await expect(widgetPage.status).toHaveCount(0);
  });

  test('installs the widget in an effect, which strict mode undoes and runs again', async ({
    service,
    widgetPage,
  }) => {
    const options = JSON.stringify({ apiKey: PUBLIC_KEY, baseUrl: service.origin });
    await widgetPage.open(place('', 'installed'), { embed: 'none', before: `options = ${options}` });
    await start(widgetPage, client);
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });
});

test('has every line of code in docs/frameworks.md in one of the apps', () => {
  const here = (path: string) => new URL(path, import.meta.url);
  const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  const sourcesOf = (framework: string) => {
    const folder = `frameworks/${framework.toLowerCase()}/`;
    const files = readdirSync(here(folder)).map((file) => readFileSync(here(folder + file), 'utf8'));
    return onOneLine(files.join('\n'));
  };
  const page = readFileSync(here('../docs/frameworks.md'), 'utf8');

  const rows = [...page.matchAll(/^\| (\w+) \| `([^`]+)`/gm)] as unknown as [string, string, string][];
  expect(rows.map(([, framework]) => framework).sort()).toEqual(Object.keys(FRAMEWORKS).sort());
  for (const [, framework, code] of rows) expect(sourcesOf(framework)).toContain(onOneLine(code));

  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)] as unknown as [string, string, string][];
  expect(blocks).toHaveLength(12);
  for (const [, language, code] of blocks) {
    expect(sourcesOf(language === 'tsx' ? 'React' : 'Vue')).toContain(onOneLine(code));
  }
});
