/**
 * Configures the browser tests. They run the built files, and each test has its own servers.
 *
 * In `npm test`, everything runs in Chromium, most of it in the headless shell if that is installed. Specs that need the
 * whole browser run in that. test/long.mjs lists what only the long run has. There, the journeys run in Firefox and WebKit,
 * too, those with both files also in the whole Chromium, and a few specs in Firefox. With `npm run e2e:engines`, all specs run in each engine that Playwright can drive.
 * docs/browsers.md lists the differences.
 */
import { defineConfig, type Project } from '@playwright/test';
import { isLong, isRest, leftTests, restOfTests, specsLeft } from '../test/long.mjs';
import { browserArguments, findEngines, firefoxPreferences } from './engines/engines.mjs';

const engines = findEngines();
const { chromium, shell, firefox, webkit } = engines;
if (!chromium) {
  throw new Error(
    'Expected a Chromium, found none. Run `node e2e/engines/install.mjs`: it installs one or says how.',
  );
}

const isCi = Boolean(process.env.CI);
/** Every spec in every engine, by `npm run e2e:engines`. */
const isAll = Boolean(process.env.EVERY_ENGINE);
const report = process.env.TEST_REPORT;

/**
 * Features that the headless shell does not have: a back/forward cache, an address book, early connections, and real
 * fonts.
 */
const NEEDS_THE_WHOLE = [
  'browser-proof.spec.ts',
  'browser-proof-page.spec.ts',
  'connection.spec.ts',
  'leaving.spec.ts',
  'pictures.spec.ts',
  'restored.spec.ts',
];
const JOURNEYS = 'journeys/*.spec.ts';
/** The specs of the dashboard. */
const OF_OWNERS = 'dashboard-*.spec.ts';
/** The first page that people see. */
const FIRST_SCREEN = 'first-screen.spec.ts';
/** Of about twenty pages, axe reads the same in each engine. */
const EVERY_PAGE_IN_AXE = / passes axe on every page/;
/** The pictures are compared only in Chromium, because other engines render text differently. */
const OF_CHROMIUM = ['pictures.spec.ts'];

const inChromium = (executablePath: string) => ({
  browserName: 'chromium' as const,
  launchOptions: { executablePath, args: browserArguments() },
});
const projects: Project[] = [
  {
    name: 'chromium',
    testIgnore: NEEDS_THE_WHOLE,
    ...(isRest ? { grep: restOfTests() } : {}),
    use: inChromium((shell ?? chromium).path),
  },
  {
    name: 'chromium, whole',
    testMatch: isLong ? [...NEEDS_THE_WHOLE, JOURNEYS] : NEEDS_THE_WHOLE,
    // Each test takes five times as long as in the shell.
    grepInvert: [/ with a second file that is /, /face-policies\.spec/],
    use: inChromium(chromium.path),
  },
];
if (isLong && firefox) {
  projects.push({
    name: 'firefox',
    ...(isAll
      ? { testIgnore: OF_CHROMIUM }
      : { testMatch: [JOURNEYS, OF_OWNERS, FIRST_SCREEN], grepInvert: EVERY_PAGE_IN_AXE }),
    use: {
      browserName: 'firefox',
      ...(firefox.driver === 'bidi' ? { channel: 'moz-firefox' } : {}),
      launchOptions: { executablePath: firefox.path, firefoxUserPrefs: firefoxPreferences },
    },
  });
}
if (isLong && webkit?.driver === 'playwright') {
  projects.push({
    name: 'webkit',
    ...(isAll ? { testIgnore: OF_CHROMIUM } : { testMatch: JOURNEYS }),
    use: { browserName: 'webkit' },
  });
} else if (isLong && webkit) {
  // Playwright cannot drive it. The journeys have their own driver.
  projects.push({ name: 'webkit', testMatch: JOURNEYS, use: { browserName: 'webkit' } });
}
if (!isLong) {
  for (const project of projects) project.testIgnore = [...[project.testIgnore ?? []].flat(), ...specsLeft()];
}

export default defineConfig({
  testDir: '.',
  globalSetup: './global-setup.ts',
  outputDir: '../test-results',
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // A missing picture is a failure. On a developer's machine it is also created.
  updateSnapshots: isCi ? 'none' : 'missing',
  ...(isLong ? {} : { grepInvert: leftTests() }),
  fullyParallel: true,
  forbidOnly: isCi,
  // No retries: a test that passes only at the second try has found a fault.
  retries: 0,
  // One more than a small machine has cores, because tests wait for the page's timers and its requests.
  workers: 3,
  // Long timeouts, for busy machines. A test that gets what it waits for goes on at once.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  reporter: [
    [isCi ? 'list' : 'line'],
    ['./engines/table-reporter.ts'],
    ...(report ? [['json', { outputFile: `${report}/browser.json` }] as ['json', object]] : []),
  ],
  use: { trace: 'off', actionTimeout: 45_000, navigationTimeout: 60_000 },
  projects,
});
