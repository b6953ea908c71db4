/** The two servers of each browser test and each journey: a scripted `service`, and a `site`. */
import { test as base } from '@playwright/test';
import { MockService } from './mock-service/mock-service.ts';
import { Site } from './pages/site.ts';
import { started } from './pages/started.ts';

interface Servers {
  service: MockService;
  site: Site;
}

export const test = base.extend<Servers>({
  service: started(MockService.start),
  site: async ({ service }, use) => {
    const site = await Site.start(service);
    await use(site);
    await site.stop();
  },
});
