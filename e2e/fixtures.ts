/**
 * The fixtures of browser tests: a scripted `service`, a `site` of another origin, and a `widgetPage`. Each test has its
 * own, and fails if its page throws an exception.
 */
import { expect } from '@playwright/test';
import { fillByKeys } from './engines/firefox.ts';
import { WidgetPage } from './pages/widget-page.ts';
import { test as base } from './servers.ts';

interface Fixtures {
  widgetPage: WidgetPage;
}

export const test = base.extend<Fixtures>({
  page: async ({ page, channel }, use) => {
    if (channel === 'moz-firefox') fillByKeys(page);
    await use(page);
  },
  widgetPage: async ({ page, site, service }, use) => {
    const widgetPage = await WidgetPage.on(page, site, service);
    await use(widgetPage);
    await widgetPage.arrive();
    expect(widgetPage.pageErrors, 'exceptions on the page that nothing caught').toEqual([]);
  },
});

/**
 * Runs the rows of a table in one page, because a page for each row would take most of the time. Each row is a step with
 * its own name and the time of a test. It has its own address or document, and does not depend on other rows.
 */
export async function eachRow<Row>(
  table: Readonly<Record<string, Row>>,
  look: (row: Row, name: string) => Promise<void>,
): Promise<void> {
  const rows = Object.entries(table);
  test.setTimeout(test.info().project.timeout * rows.length);
  for (const [name, row] of rows) await test.step(name, () => look(row, name));
}

export * from '../src/testing/replies.ts';
export {
  dataAttributes,
  FORM,
  JOE,
  MEANT,
  MISSPELT,
  NO,
  PATIENT,
  PUBLIC_KEY,
  QUEUE_STUB,
  TEXTS,
  UNHURRIED,
} from './pages/documents.ts';
export { expect };
