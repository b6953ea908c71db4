/**
 * The browsers of the tests: where to find each one, and how to drive it.
 *
 * Chromium comes in two forms. Visitors have the whole browser. Its headless shell is the same engine, and takes a third
 * of the time. Firefox and WebKit are Playwright's own builds if possible. Otherwise the system's Firefox runs over
 * WebDriver BiDi, and WebKitGTK's MiniBrowser over WebDriver.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium, firefox, webkit } from '@playwright/test';

const VERSION_LIMIT_MS = 15_000;

/**
 * Over WebDriver BiDi, Playwright begins with `network.addDataCollector` (Firefox 143) and gives each page a screen with
 * `emulation.setScreenSettingsOverride` (Firefox 147).
 */
const LEAST_FIREFOX = 147;

const isLinux = process.platform === 'linux';
const isWindows = process.platform === 'win32';

/** Whether Chromium's sandbox would refuse to start (containers, many CI machines). */
const isRootOnLinux = isLinux && process.getuid?.() === 0;

/** Each engine's name, its purpose, and how to install it. */
export const ENGINES = {
  chromium: { title: 'Chromium', wish: 'CHROMIUM_PATH', playwright: ['chromium'], packages: ['chromium'] },
  shell: {
    title: 'Chromium headless shell',
    wish: 'CHROMIUM_PATH',
    playwright: ['chromium-headless-shell'],
    packages: ['chromium-headless-shell'],
  },
  firefox: { title: 'Firefox', wish: 'FIREFOX_PATH', playwright: ['firefox'], packages: ['firefox-esr'] },
  webkit: { title: 'WebKit', playwright: ['webkit'], packages: ['webkit2gtk-driver', 'xvfb', 'xauth'] },
};

/**
 * All browsers on this machine. The search runs once, and passes its result to the workers, which load this file too.
 *
 * @returns {import('./engines.d.mts').Engines}
 */
export function findEngines() {
  process.env.E2E_ENGINES ||= JSON.stringify({
    chromium: findChromium(),
    shell: findShell(),
    firefox: findFirefox(),
    webkit: findWebKit(),
  });
  return JSON.parse(process.env.E2E_ENGINES);
}

/** Searches again, such as after an installation. */
export function findEnginesAgain() {
  delete process.env.E2E_ENGINES;
  tried.clear();
  return findEngines();
}

/**
 * Chromium's flags in addition to Playwright's. Only the tests' own pages use the network. Hosts under `.test` are this
 * machine, for pages of several origins without a DNS. Hosts under `.invalid` are unknown.
 */
export function browserArguments() {
  return [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-gpu',
    '--disable-sync',
    '--no-first-run',
    '--host-resolver-rules=MAP *.test 127.0.0.1, MAP localhost 127.0.0.1, MAP *.invalid ~NOTFOUND',
    ...(isRootOnLinux ? ['--no-sandbox'] : []),
  ];
}

/** The same for Firefox, which does not know wildcards. */
export const firefoxPreferences = {
  'network.dns.localDomains': [
    'localhost',
    'shop.site.test',
    'shop.trusted.test',
    'site.test',
    'trusted.test',
    'trusted.test.evil.test',
    'untrusted.test',
  ].join(),
};

function findChromium() {
  return (
    wished('CHROMIUM_PATH', 'Chromium') ??
    first([ownOf(chromium), ...chromiumPlaces()].map((path) => runs(path, 'playwright')))
  );
}

/** Not set if the environment names a Chromium. Only that one is then tested. */
function findShell() {
  if (process.env.CHROMIUM_PATH) return undefined;
  const own = ownOf(chromium)
    ?.replace('chromium-', 'chromium_headless_shell-')
    .replace(/chrome-(linux|mac|win)([^/\\]*)([/\\]).*$/, (_, system, bits, slash) =>
      ['chrome-headless-shell-', system, bits, slash, 'chrome-headless-shell'].join(''),
    );
  return first(
    [own, ...inPath('chromium-headless-shell'), '/usr/bin/chromium-headless-shell'].map((path) =>
      runs(path, 'playwright'),
    ),
  );
}

function findFirefox() {
  const wish = wished('FIREFOX_PATH', 'Firefox', 'bidi');
  const refusal = wish && refusalOf(wish);
  if (refusal) throw new Error(`${refusal} Or correct FIREFOX_PATH.`);
  return wish ?? runs(ownOf(firefox), 'playwright') ?? systemFirefoxes().find((engine) => !refusalOf(engine));
}

function systemFirefoxes() {
  const places = inPath('firefox', 'firefox-esr');
  if (process.platform === 'darwin') places.push('/Applications/Firefox.app/Contents/MacOS/firefox');
  return places.flatMap((path) => runs(path, 'bidi') ?? []);
}

/** What is wrong with the Firefox of this machine if it is too old. It does not count as one. */
export const firefoxRefusal = () => first(systemFirefoxes().map(refusalOf));

const refusalOf = ({ version, path }) =>
  Number.parseInt(version, 10) < LEAST_FIREFOX
    ? `Firefox ${version} (${path}) is too old: Playwright drives ${LEAST_FIREFOX} or later. Run \`apt-get update\`, then \`TEST_LONG=1 node e2e/engines/install.mjs\` again.`
    : undefined;

function findWebKit() {
  const own = ownOf(webkit);
  if (own && existsSync(own)) return { path: own, driver: 'playwright', version: "Playwright's own" };
  const [driver] = inPath('WebKitWebDriver').filter(existsSync);
  const [display] = inPath('Xvfb').filter(existsSync);
  if (!isLinux || !driver || !display) return undefined;
  // Does not print its version, because that would need a display.
  const path = miniBrowsers().find(existsSync);
  return path && { path, driver: 'webdriver', version: 'WebKitGTK', webDriver: driver, display };
}

/** Debian's and Fedora's places: it is in no PATH. */
const miniBrowsers = () =>
  ['x86_64-linux-gnu/', 'aarch64-linux-gnu/', ''].flatMap((machine) =>
    ['lib', 'lib64', 'libexec'].flatMap((folder) =>
      ['4.1', '6.0', '4.0'].map((version) => {
        const toolkit = version === '6.0' ? 'webkitgtk' : 'webkit2gtk';
        return `/usr/${folder}/${machine}${toolkit}-${version}/MiniBrowser`;
      }),
    ),
  );

/** @throws if the named browser does not run */
function wished(variable, title, driver = 'playwright') {
  const path = process.env[variable];
  if (!path) return undefined;
  const found = runs(path, driver);
  if (found) return found;
  throw new Error(`${variable} is ${path}, which is no ${title} that runs. Correct it or unset it.`);
}

function chromiumPlaces() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const places = inPath(...names);
  if (isLinux) {
    places.push(...names.map((name) => `/usr/bin/${name}`));
    places.push('/opt/google/chrome/chrome', '/usr/lib/chromium/chromium', '/snap/bin/chromium');
    places.push('/usr/lib64/chromium-browser/chromium-browser');
  }
  if (process.platform === 'darwin') {
    for (const root of ['/Applications', join(homedir(), 'Applications')]) {
      for (const name of ['Chromium', 'Google Chrome', 'Microsoft Edge']) {
        places.push(join(root, `${name}.app`, 'Contents', 'MacOS', name));
      }
    }
  }
  if (isWindows) {
    for (const variable of ['LOCALAPPDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)']) {
      const root = process.env[variable];
      if (!root) continue;
      places.push(join(root, 'Chromium', 'Application', 'chrome.exe'));
      places.push(join(root, 'Google', 'Chrome', 'Application', 'chrome.exe'));
      places.push(join(root, 'Microsoft', 'Edge', 'Application', 'msedge.exe'));
    }
  }
  return places;
}

/** The possible paths of a program with one of these names. */
function inPath(...names) {
  if (isWindows) return [];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

function ownOf(type) {
  try {
    return type.executablePath() || undefined;
  } catch {
    return undefined; // A platform that Playwright has no build for.
  }
}

const first = (candidates) => candidates.find((candidate) => candidate !== undefined);

const tried = new Map();

/** The program, if it exists and starts. Ubuntu's `chromium-browser` may be a script that only asks for a snap. */
function runs(path, driver) {
  if (!path || !existsSync(path)) return undefined;
  // On Windows `--version` would open a window instead of printing one.
  if (isWindows) return { path, driver, version: 'installed' };
  if (!tried.has(path)) {
    const { status, stdout } = spawnSync(path, ['--version'], {
      encoding: 'utf8',
      timeout: VERSION_LIMIT_MS,
    });
    tried.set(path, status === 0 ? /\d+\.\d+(\.\d+)*/.exec(stdout)?.[0] : undefined);
  }
  const version = tried.get(path);
  return version && { path, driver, version };
}
