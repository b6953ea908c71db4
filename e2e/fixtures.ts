/**
 * What a browser test is written with: a scripted `service`, a `site` of another origin, and a `widgetPage`.
 * Each test has its own, and fails when its page has thrown.
 */
import { test as base, expect } from '@playwright/test';
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
  widgetPage: async ({ page, site, service }, use) => {
    const widgetPage = await WidgetPage.on(page, site, service);
    await use(widgetPage);
    await widgetPage.end();
    expect(widgetPage.pageErrors, 'exceptions on the page that nothing caught').toEqual([]);
  },
});

export * from './mock-service/replies.ts';
export { dataAttributes, FORM, PUBLIC_KEY, QUEUE_STUB, TEXTS } from './pages/documents.ts';
export { expect };
