/** How the browser tests run: against the built files, in one Chromium, each test with servers of its own. */
import { defineConfig } from '@playwright/test';
import { browserArguments, findBrowser } from './find-browser.mjs';

// Workers load this file too: found once, then handed down.
process.env.CHROMIUM_PATH ||= findBrowser() ?? '';
if (!process.env.CHROMIUM_PATH) {
  throw new Error(
    'Expected a Chromium, found none. Run `node e2e/find-browser.mjs`: it installs one or says how.',
  );
}

const isCi = Boolean(process.env.CI);

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  outputDir: '../test-results',
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // A picture that is missing is a failure; on a developer's machine it is painted as well.
  updateSnapshots: isCi ? 'none' : 'missing',
  fullyParallel: true,
  forbidOnly: isCi,
  // A test that only passes at the second try has found something.
  retries: 0,
  workers: 2,
  timeout: 20_000,
  expect: { timeout: 5_000 },
  reporter: isCi ? 'list' : 'line',
  use: {
    trace: 'off',
    actionTimeout: 5_000,
    navigationTimeout: 10_000,
  },
  projects: [
    {
      name: 'chromium',
      use: {
        browserName: 'chromium',
        launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: browserArguments() },
      },
    },
  ],
});
