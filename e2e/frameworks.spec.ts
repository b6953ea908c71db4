/**
 * Pages made with React and Vue, in their development builds, which render again at any time and print warnings. The other
 * frameworks are in e2e/libraries/.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { markupOf } from './frameworks/bundle.ts';
import { expect, PUBLIC_KEY, test, undeliverable } from './frameworks/fixtures.ts';
import { markInput, place, start, testFramework } from './frameworks/journeys.ts';
import { heldGoesOnce, rejectedStaysBlocked, suggestionIsTaken } from './pages/journeys.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';

const REACT = { client: 'react/client.tsx', server: 'react/server.tsx', keepsTyped: false };

testFramework('React', REACT);
testFramework('Vue', { client: 'vue/client.ts', server: 'vue/server.ts', keepsTyped: false });

test.describe('React', () => {
  const { client, server } = REACT;

  test.beforeEach(({ service }) => {
    service.answer(NO, undeliverable());
  });

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
    test(`runs an action once that starts before React, with a verdict ${when}`, async ({ widgetPage }) => {
      await widgetPage.sendWhilePending(JOE, place(await markupOf(server, 'action'), 'action'));
      if (isEarly) {
        await widgetPage.release('accepted');
      }
      await start(widgetPage, client);
      if (!isEarly) {
        await widgetPage.expectSubmissions(0, 500);
        widgetPage.service.release();
      }
      expect(await widgetPage.sentOnce()).toEqual({ email: JOE, via: 'button' });
      await expect(widgetPage.email).toHaveValue('');
      await widgetPage.expectState(null);
    });
  }

  test('takes over a whole document, with the status in it', async ({ page, widgetPage }) => {
    await widgetPage.openDocument(`<!doctype html>${await markupOf(server, 'document')}`);
    const isSame = await markInput(widgetPage);
    await widgetPage.enterRejected(NO);
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

  test('installs the widget in an effect that strict mode undoes and runs again', async ({ widgetPage }) => {
    const options = JSON.stringify({ apiKey: PUBLIC_KEY, baseUrl: widgetPage.service.origin });
    await widgetPage.open(place('', 'installed'), { embed: 'none', before: `options = ${options}` });
    await start(widgetPage, client);
    await suggestionIsTaken(widgetPage);
    await rejectedStaysBlocked(widgetPage);
    await heldGoesOnce(widgetPage);
  });
});

test('has every line of code in docs/frameworks.md in one of the apps', () => {
  const FOLDERS: Readonly<Record<string, string>> = {
    React: 'frameworks/react/',
    Vue: 'frameworks/vue/',
    Svelte: 'libraries/svelte/',
    Angular: 'libraries/angular/',
    Preact: 'libraries/preact/',
  };
  const here = (path: string) => new URL(path, import.meta.url);
  const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  const sourcesOf = (framework: string) => {
    const folder = FOLDERS[framework]!;
    const files = readdirSync(here(folder)).map((file) => readFileSync(here(folder + file), 'utf8'));
    return onOneLine(files.join('\n'));
  };
  const page = readFileSync(here('../docs/frameworks.md'), 'utf8');

  const rows = [...page.matchAll(/^\| (\w+) \| `([^`]+)`/gm)] as unknown as [string, string, string][];
  expect(rows.map(([, framework]) => framework).sort()).toEqual(Object.keys(FOLDERS).sort());
  for (const [, framework, code] of rows) expect(sourcesOf(framework)).toContain(onOneLine(code));

  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)] as unknown as [string, string, string][];
  expect(blocks).toHaveLength(12);
  for (const [, language, code] of blocks) {
    expect(sourcesOf(language === 'tsx' ? 'React' : 'Vue')).toContain(onOneLine(code));
  }
});
