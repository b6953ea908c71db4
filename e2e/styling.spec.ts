/** The properties by which a page's style sheet changes the status. */
import type { Locator } from '@playwright/test';
import { deliverable, eachRow, expect, FORM, hang, TEXTS, test, undeliverable } from './fixtures.ts';
import type { MockService } from './mock-service/mock-service.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const ADDRESS = 'joe@example.com';
const COLOR = 'rgb(1, 200, 3)';

/** A property of the computed style of one part, or of the element itself. */
const styleOf = (status: Locator, part: string, property: string) =>
  status.evaluate(
    (host, [name, wanted]) => {
      const element = name === 'host' ? host : host.shadowRoot!.querySelector(`[part~="${name}"]`)!;
      return getComputedStyle(element).getPropertyValue(wanted!);
    },
    [part, property],
  );

async function show(
  what: 'spinner' | 'rejection' | 'hint' | 'suggestion',
  service: MockService,
  widgetPage: WidgetPage,
  head: string,
): Promise<void> {
  const meant = { did_you_mean: 'joe@example.net' };
  service.answer(
    ADDRESS,
    {
      spinner: hang(),
      rejection: undeliverable(),
      hint: deliverable(meant),
      suggestion: undeliverable(meant),
    }[what],
  );
  await widgetPage.open(FORM, { head });
  await widgetPage.enter(ADDRESS);
  await expect(widgetPage.status).toHaveText(
    {
      spinner: TEXTS.verifying,
      rejection: TEXTS.invalid,
      hint: 'Did you mean joe@example.net?',
      suggestion: 'Did you mean joe@example.net?',
    }[what],
  );
}

const PROPERTIES: Record<
  string,
  [value: string, seenOn: Parameters<typeof show>[0], part: string, property: string]
> = {
  '--email-verify-color': [COLOR, 'rejection', 'message', 'color'],
  '--email-verify-background': [COLOR, 'rejection', 'status', 'background-color'],
  '--email-verify-border-color': [COLOR, 'rejection', 'status', 'border-top-color'],
  '--email-verify-rejected-color': [COLOR, 'rejection', 'status', 'border-inline-start-color'],
  '--email-verify-hint-color': [COLOR, 'hint', 'status', 'border-inline-start-color'],
  '--email-verify-suggestion-color': [COLOR, 'suggestion', 'suggestion', 'color'],
  '--email-verify-spinner-color': [COLOR, 'spinner', 'spinner', 'border-top-color'],
  '--email-verify-z-index': ['7', 'rejection', 'host', 'z-index'],
};
test('takes each custom property for the whole document, or for one status', async ({ widgetPage }) => {
  await eachRow(PROPERTIES, async ([value, what, part, property], name) => {
    await show(what, widgetPage.service, widgetPage, `<style>:root { ${name}: ${value} }</style>`);
    expect(await styleOf(widgetPage.status, part, property)).toBe(value);
    await widgetPage.status.evaluate(
      (host, own) => (host as HTMLElement).style.setProperty(own, 'initial'),
      name,
    );
    expect(await styleOf(widgetPage.status, part, property)).not.toBe(value);
  });
});

test('names every custom property of the status after the widget', async ({ service, widgetPage }) => {
  await show('rejection', service, widgetPage, '');
  const names = await widgetPage.status.evaluate((host) =>
    host
      .shadowRoot!.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules])
      .flatMap(({ cssText }) => cssText.match(/--[\w-]+/g) ?? []),
  );
  expect([...new Set(names)].sort()).toEqual(Object.keys(PROPERTIES).sort());
});
