/** The early connection to the service, before the first request. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { chromium } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { expect, FORM, test } from './fixtures.ts';
import { WidgetPage } from './pages/widget-page.ts';

test('connects when the visitor enters the field, and leaves nothing in the page', async ({
  page,
  service,
  site,
}, { project }) => {
  leaveOutFor('protocol of Chromium', page);
  let connections = 0;
  const api = createServer(() => {
    connections += 1;
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  // Chromium connects ahead of time only outside private windows, and only without this flag. Each page of a test is a
  // private window.
  const context = await chromium.launchPersistentContext('', {
    ...project.use.launchOptions,
    ignoreDefaultArgs: ['--disable-background-networking'],
  });
  const [ownPage = await context.newPage()] = context.pages();
  const widgetPage = await WidgetPage.on(ownPage, site, service);

  await widgetPage.open(FORM, { options: { baseUrl: `http://127.0.0.1:${port}` } });
  await ownPage.locator('#note').focus();
  expect(connections).toBe(0);
  await widgetPage.email.focus();
  await expect.poll(() => connections).toBe(1);
  expect(await ownPage.locator('link').count()).toBe(0);
  await context.close();
  api.close();
});
