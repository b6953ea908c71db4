/** What a test of a framework's app is written with: a test fails when the page complains in the console. */
import { test as base, expect } from '../fixtures.ts';

interface Fixtures {
  /** What the console was told of, except for the browser's own words on the network. A test that expects one takes it out. */
  complaints: string[];
}

export const test = base.extend<Fixtures>({
  complaints: [
    async ({ page }, use, testInfo) => {
      // A bundle is made by the first test that asks for it.
      testInfo.slow();
      const complaints: string[] = [];
      page.on('console', (message) => {
        const text = message.text();
        if (/^(warning|error)$/.test(message.type()) && !text.startsWith('Failed to load resource')) {
          complaints.push(text);
        }
      });
      await use(complaints);
      expect(complaints, 'what the page has complained of').toEqual([]);
    },
    { auto: true },
  ],
});

export * from '../fixtures.ts';
