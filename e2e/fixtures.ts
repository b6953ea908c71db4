/**
 * What a browser test is written with: a scripted `service`, a `site` of another origin, and a `widgetPage`.
 * Each test has its own, and fails when its page has thrown.
 */
import { test as base, expect } from '@playwright/test';
import { fillByKeys } from './engines/firefox.ts';
import { MockService } from './mock-service/mock-service.ts';
import { Site } from './pages/site.ts';
import { WidgetPage } from './pages/widget-page.ts';

interface Fixtures {
  service: MockService;
  site: Site;
  widgetPage: WidgetPage;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  service: async ({}, use) => {
    const service = await MockService.start();
    await use(service);
    await service.stop();
  },
  site: async ({ service }, use) => {
    const site = await Site.start(service);
    await use(site);
    await site.stop();
  },
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
 * Goes over a table in one page, where a page for each row would cost most of the time. Each row is a step, by
 * which a failure names it, has the time of a test, and an address or a document of its own: none leans on what
 * another has left.
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
export { dataAttributes, FORM, PUBLIC_KEY, QUEUE_STUB, TEXTS } from './pages/documents.ts';
export { expect };
