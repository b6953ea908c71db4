/** The fixtures for tests of framework apps. A test fails if the page prints warnings or errors in the console. */
import { test as base, expect } from '../fixtures.ts';

interface Fixtures {
  /** Warnings and errors in the console, without the browser's network messages. A test removes those that it expects. */
  complaints: string[];
}

export const test = base.extend<Fixtures>({
  complaints: [
    async ({ page }, use, testInfo) => {
      // The first test that needs a bundle makes it.
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
