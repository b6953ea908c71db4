/** The two servers of each browser test and each journey: a scripted `service`, and a `site`. */
import { test as base } from '@playwright/test';
import { MockService } from './mock-service/mock-service.ts';
import { Site } from './pages/site.ts';

interface Servers {
  service: MockService;
  site: Site;
}

export const test = base.extend<Servers>({
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
});
