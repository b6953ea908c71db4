/**
 * Configures the browser tests. They run the built files, and each test has its own servers.
 *
 * Everything runs in Chromium, most of it in the headless shell if that is installed. Specs that need the whole browser
 * run in that. The journeys run in all three engines, and a few specs in Firefox. With `npm run e2e:engines`, the other
 * specs run in each engine that Playwright can drive. docs/browsers.md lists the differences.
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
 * Features that the headless shell does not have: a back/forward cache, an address book, early connections, and real
 * fonts.
 */
const NEEDS_THE_WHOLE = ['connection.spec.ts', 'leaving.spec.ts', 'pictures.spec.ts', 'restored.spec.ts'];
const JOURNEYS = 'journeys/*.spec.ts';
/** The specs of the dashboard. */
const OF_OWNERS = 'dashboard-*.spec.ts';
/** The first page that people see. */
const FIRST_SCREEN = 'first-screen.spec.ts';
/** The pictures are compared only in Chromium, because other engines render text differently. */
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
  // Playwright cannot drive it. The journeys have their own driver.
  projects.push({ name: 'webkit', testMatch: JOURNEYS, use: { browserName: 'webkit' } });
}

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  outputDir: '../test-results',
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // A missing picture is a failure. On a developer's machine it is also created.
  updateSnapshots: isCi ? 'none' : 'missing',
  fullyParallel: true,
  forbidOnly: isCi,
  // No retries: a test that passes only at the second try has found a fault.
  retries: 0,
  // As many as a small machine has cores, because browsers use all of them.
  workers: 2,
  // Long timeouts, for busy machines. A test that gets what it waits for goes on at once.
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
