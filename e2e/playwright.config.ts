/**
 * How the browser tests run: against the built files, each test with servers of its own.
 *
 * Everything runs in Chromium: in its headless shell where that is there, but for what only the whole browser
 * does (the back/forward cache, its own looks). The journeys run in all three engines; by `npm run e2e:engines` the
 * other specs do as well, in each engine that Playwright can drive. docs/browsers.md says what differs.
 */
import { defineConfig, type Project } from '@playwright/test';
import { browserArguments, findEngines, firefoxPreferences } from './engines/engines.mjs';

const engines = findEngines();
const { chromium, shell, firefox, webkit } = engines;
if (!chromium) {
  throw new Error(
    'Expected a Chromium, found none. Run `node e2e/engines/install.mjs`: it installs one or says how.',
  );
}

const isCi = Boolean(process.env.CI);
const isAll = process.env.npm_lifecycle_event === 'e2e:engines';

/**
 * What the headless shell has not: a cache of pages that were left, an address book, connections ahead of time, and
 * the letters that people see.
 */
const NEEDS_THE_WHOLE = ['connection.spec.ts', 'leaving.spec.ts', 'pictures.spec.ts', 'restored.spec.ts'];
const JOURNEYS = 'journeys/*.spec.ts';
/** What owners do in the dashboard. */
const OF_OWNERS = 'dashboard-*.spec.ts';
/** What everybody sees first. */
const FIRST_SCREEN = 'first-screen.spec.ts';
/** Painted in Chromium: another engine has other letters, and says so in every picture. */
const OF_CHROMIUM = ['pictures.spec.ts'];

const inChromium = (executablePath: string) => ({
  browserName: 'chromium' as const,
  launchOptions: { executablePath, args: browserArguments() },
});
const elsewhere = isAll ? { testIgnore: OF_CHROMIUM } : { testMatch: JOURNEYS };

const projects: Project[] = [
  { name: 'chromium', testIgnore: NEEDS_THE_WHOLE, use: inChromium((shell ?? chromium).path) },
  {
    name: 'chromium, whole',
    testMatch: [...NEEDS_THE_WHOLE, JOURNEYS],
    use: inChromium(chromium.path),
  },
];
if (firefox) {
  projects.push({
    name: 'firefox',
    ...(isAll ? elsewhere : { testMatch: [JOURNEYS, OF_OWNERS, FIRST_SCREEN] }),
    use: {
      browserName: 'firefox',
      ...(firefox.driver === 'bidi' ? { channel: 'moz-firefox' } : {}),
      launchOptions: { executablePath: firefox.path, firefoxUserPrefs: firefoxPreferences },
    },
  });
}
if (webkit?.driver === 'playwright') {
  projects.push({ name: 'webkit', ...elsewhere, use: { browserName: 'webkit' } });
} else if (webkit) {
  // Playwright can't drive it: the journeys bring a driver of their own.
  projects.push({ name: 'webkit', testMatch: JOURNEYS, use: { browserName: 'webkit' } });
}

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
  // Patience for a machine with much to do: who gets what they wait for waits no longer.
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [[isCi ? 'list' : 'line'], ['./engines/table-reporter.ts']],
  use: {
    trace: 'off',
    actionTimeout: 5_000,
    navigationTimeout: 10_000,
  },
  projects,
});
