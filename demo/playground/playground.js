/**
 * The page around the form: settings, simulation, logs, snippets, address. The form is in a frame, with nothing of
 * this page's styles; its script (`preview.js`) tells what happens there.
 */
import { element } from '../element.js';
import { ownBaseUrl, serviceUrl } from '../service-url.js';
import { fromHash, toHash } from './address.js';
import { createControl } from './controls.js';
import { createEventLog, createRequestLog, createWarningLog } from './logs.js';
import {
  GROUPS,
  initialTexts,
  isUsable,
  LANGUAGES,
  MESSAGES,
  optionsOf,
  readText,
  SETTINGS,
} from './options.js';
import { SIMULATIONS, simulatedOptions, simulatedStatus } from './simulations.js';
import { SNIPPETS } from './snippets.js';
import { createTabs } from './tabs.js';
import { expectedOutcome, TEST_ADDRESSES } from './test-addresses.js';

const find = (selector) => document.querySelector(selector);
const frame = find('#frame');

/** What is no option and no simulation: how the page shows it. */
const VIEWS = [
  {
    path: 'preview',
    kind: 'menu',
    label: 'Style',
    values: ['plain', 'bootstrap', 'tailwind', 'material'],
    labels: ['Plain HTML', 'Bootstrap 5', 'Tailwind-like', 'Material-like'],
    initial: 'plain',
  },
  {
    path: 'snippet',
    kind: 'choice',
    label: 'Format',
    values: SNIPPETS.map(({ value }) => value),
    labels: SNIPPETS.map(({ label }) => label),
    initial: 'tag',
  },
];

/** Everything that the address may hold. */
const ALL = new Map([...SETTINGS, ...[...SIMULATIONS, ...VIEWS].map((setting) => [setting.path, setting])]);

/** What each setting begins as; the messages begin as the language has them. */
const initial = {
  ...initialTexts(serviceUrl),
  ...Object.fromEntries([...SIMULATIONS, ...VIEWS].map(({ path, initial }) => [path, initial])),
};

// Controls.

/** @type {Map<string, import('./controls.js').Control>} */
const controls = new Map();

function addControl(setting, place) {
  const control = createControl(setting);
  control.write(initial[setting.path]);
  controls.set(setting.path, control);
  place.append(control.row);
}

const groups = GROUPS.map(({ heading, id, note, settings }) => {
  const changes = element('span', { class: 'changes' });
  const body = element('div', { class: 'settings' });
  if (note) body.append(element('p', { class: 'note' }, note));
  const details = element(
    'details',
    { class: 'group turns', id: `group-${id}` },
    element('summary', {}, element('h3', {}, heading), ' ', changes),
    body,
  );
  for (const setting of settings) addControl(setting, body);
  find('#groups').append(details);
  return { details, changes, paths: settings.map(({ path }) => path) };
});
groups[0].details.open = true;
for (const setting of SIMULATIONS) addControl(setting, find('#simulate'));
addControl(VIEWS[0], find('#preview-style'));
addControl(VIEWS[1], find('#snippet-choice'));

const readAll = () => Object.fromEntries([...controls].map(([path, { read }]) => [path, read()]));

/** @returns {Record<string, string>} what differs from what it begins as */
const changedOf = (texts) =>
  Object.fromEntries(Object.entries(texts).filter(([path, text]) => text !== initial[path]));

// Languages.

/** The texts of the chosen language, once they have come; English needs none. */
let locale = {};
/** The one whose texts these are. */
let spoken = 'en';

const pageLanguage = () => document.documentElement.dataset.language ?? 'en';

/** Fetches a language's texts, and has all messages follow that have been left as they were. */
async function speak(choice) {
  const language = choice === 'auto' ? pageLanguage() : choice;
  if (language === spoken) return;
  spoken = language;
  let texts = {};
  try {
    if (LANGUAGES.includes(language)) texts = (await import(`../v2/locales/${language}.mjs`)).default;
  } catch {
    warnings.tell({
      level: 'error',
      text: `Could not load the texts for “${language}”. They stay English.`,
    });
  }
  // Another may have been chosen meanwhile.
  if (spoken !== language) return;
  locale = texts;
  for (const [key, english] of Object.entries(MESSAGES)) {
    const path = `messages.${key}`;
    const control = controls.get(path);
    const isOwn = control.read() !== initial[path];
    initial[path] = texts[key] ?? english;
    if (!isOwn) control.write(initial[path]);
    control.row.querySelector('input').lang = language;
  }
}

// The page's own switch chooses for the form as well, unless that follows it anyway.
let followed = pageLanguage();
new MutationObserver(async () => {
  const control = controls.get('locale');
  const language = pageLanguage();
  if (language === followed) return;
  followed = language;
  if (control.read() !== 'auto') control.write(LANGUAGES.includes(language) ? language : 'en');
  await changed();
}).observe(document.documentElement, { attributeFilter: ['data-language'] });

// The form.

/** The form's window. There is none before it has come, nor where a browser says instead that it could not. */
function formWindow() {
  try {
    return frame.contentWindow.preview && frame.contentWindow;
  } catch {
    // The browser's own page is of another origin.
    return undefined;
  }
}

/** The options of a widget that has been told nothing yet. */
const untold = () => ({ ...optionsOf(initialTexts(location.origin)), apiKey: '', locale: {}, messages: {} });

/** What the form's widget has been told, as texts to be compared. */
let told = {};

const comparable = (value, texts) =>
  typeof value === 'function' ? texts['simulate.captcha'] : JSON.stringify(value);

/** Tells the form's widget what it does not know yet. */
function tellWidget() {
  const texts = readAll();
  const begun = { ...untold(), ...ownBaseUrl };
  const wanted = {
    ...begun,
    apiKey: texts.apiKey,
    ...optionsOf(changedOf(texts)),
    locale,
    ...simulatedOptions(texts, serviceUrl),
  };
  const news = Object.entries(wanted).filter(([name, value]) => comparable(value, texts) !== told[name]);
  if (news.length === 0) return;
  for (const [name, value] of news) told[name] = comparable(value, texts);
  const command = formWindow()?.emailVerify;
  // What it refuses, it leaves as it was; in an author's page that is the default, as it has to be here.
  const refused = news.filter(([name, value]) => !isUsable(name, value)).map(([name]) => [name, begun[name]]);
  if (refused.length > 0) command?.(Object.fromEntries(refused));
  command?.(Object.fromEntries(news));
}

const comparableUntold = () =>
  Object.fromEntries(Object.entries(untold()).map(([name, value]) => [name, JSON.stringify(value)]));

/** What the form had in its fields before it was loaded anew. */
let kept;
let simulated;

/** A connection that is slower still is told of too soon, and gives the form all the same. */
const FORM_LIMIT_MS = 3000;
/** Not every browser fires an event where its own page stands in place of the form. */
let overdue;

const simulationOf = (texts) => JSON.stringify(SIMULATIONS.map(({ path }) => texts[path]));

/** Loads the form anew: a widget that has had answers would not ask for them again. */
function restart(isKeeping) {
  clearTimeout(overdue);
  const form = formWindow();
  // One that is still coming has nothing yet, but what was kept for it.
  const isThere = form?.document.readyState === 'complete';
  if (isThere || !isKeeping) kept = isKeeping ? form.preview.values() : undefined;
  if (form) form.location.reload();
  else frame.src = 'preview.html';
  overdue = setTimeout(missForm, FORM_LIMIT_MS);
}

function missForm() {
  requests.left();
  warnings.tell({
    level: 'error',
    text: 'The form did not load. Check that the service runs, then press Reload.',
  });
}

addEventListener('preview-start', ({ detail: form }) => {
  clearTimeout(overdue);
  requests.left();
  told = comparableUntold();
  form.preview.dress(controls.get('preview').read());
  form.preview.simulateFace(controls.get('simulate.face').read());
  tellWidget();
});

frame.addEventListener('load', () => {
  const preview = formWindow()?.preview;
  if (!preview) return;
  preview.showCaptcha(controls.get('simulate.captcha').read() === 'visitor');
  if (kept) preview.restore(kept);
  kept = undefined;
});

addEventListener('preview-size', ({ detail: { height } }) => {
  frame.style.setProperty('block-size', `${height}px`);
});

// Logs.

const partsOf = (name) => ({
  list: find(`#${name}`),
  emptyNote: find(`#no-${name}`),
  count: find(`#count-${name}`),
});
const events = createEventLog(partsOf('events'));
const requests = createRequestLog(partsOf('requests'));
const warnings = createWarningLog(partsOf('warnings'));

addEventListener('preview-event', ({ detail }) => events.tell(detail));
addEventListener('preview-warning', ({ detail }) => warnings.tell(detail));
addEventListener('preview-request', ({ detail }) => requests.asked(detail));
addEventListener('preview-answer', ({ detail }) => requests.answered(detail));
addEventListener('preview-failure', ({ detail }) => requests.failed(detail));

const logs = { events, requests, warnings };
let shownLog = 'events';
createTabs(find('#log-tabs'), (tab) => {
  shownLog = tab.id.replace('tab-', '');
  find('#clear-subject').textContent = ` the ${shownLog}`;
});
find('#clear').addEventListener('click', () => logs[shownLog].clear());

// Test addresses.

function typeIn(address) {
  const form = formWindow();
  if (form) {
    form.preview.type(address);
    return;
  }
  kept = { email: address };
  restart(true);
}

const outcomes = TEST_ADDRESSES.map((known, at) => {
  const outcome = element('span', { id: `outcome-${at}` });
  const button = element(
    'button',
    { type: 'button', 'aria-describedby': outcome.id, dir: 'ltr' },
    known.address,
  );
  button.addEventListener('click', () => typeIn(known.address));
  find('#addresses').append(element('li', {}, button, outcome));
  return { known, outcome };
});

// What follows from the settings.

/** Some browsers refuse more than a hundred changes in half a minute: a slider makes as many. */
const ADDRESS_PAUSE_MS = 150;
let addressTimer;

function keepInAddress() {
  history.replaceState(null, '', toHash(changedOf(readAll())) || location.pathname + location.search);
}

function show() {
  const texts = readAll();
  const different = changedOf(texts);

  clearTimeout(addressTimer);
  addressTimer = setTimeout(keepInAddress, ADDRESS_PAUSE_MS);

  const { apiKey = texts.apiKey, locale: _, ...options } = optionsOf(different);
  const snippet = SNIPPETS.find(({ value }) => value === texts.snippet);
  find('#snippet').textContent = snippet.write(
    { apiKey, ...ownBaseUrl, ...options },
    texts.locale,
    serviceUrl,
  );

  for (const [path, setting] of ALL) {
    controls.get(path).mark(isUsable(path, readText(setting, texts[path])));
  }

  const allow = { ...optionsOf(initialTexts(serviceUrl)).allow, ...options.allow };
  const status = simulatedStatus(texts);
  for (const { known, outcome } of outcomes) {
    const { tone, text } = expectedOutcome(known, allow, status, texts.blockOnRateLimit === 'true');
    outcome.className = `outcome ${tone}`;
    outcome.textContent = text;
  }

  for (const { changes, paths } of groups) {
    const count = paths.filter((path) => Object.hasOwn(different, path)).length;
    changes.textContent = count ? `${count} changed` : '';
  }
  find('#is-simulated').hidden =
    texts['simulate.face'] === 'none' && Object.keys(simulatedOptions(texts, serviceUrl)).length === 0;

  formWindow()?.preview.dress(texts.preview);
}

async function changed() {
  await speak(controls.get('locale').read());
  show();
  const simulation = simulationOf(readAll());
  if (simulation !== simulated) {
    simulated = simulation;
    restart(true);
  } else tellWidget();
}

document.addEventListener('input', ({ target }) => {
  // Each change of what is simulated loads the form anew: a slider is waited for.
  if (target.form?.id === 'settings' && !isSimulation(target)) void changed();
});
document.addEventListener('change', ({ target }) => {
  if (target.closest('#simulate')) void changed();
});
const isSimulation = (target) => target.closest('#simulate') !== null;

find('#settings').addEventListener('submit', (event) => event.preventDefault());
find('#restart').addEventListener('click', () => restart(false));
find('#defaults').addEventListener('click', () => void restore({}));

// The address.

const complaints = find('#complaints');

function complain(texts) {
  complaints.replaceChildren(...[...new Set(texts)].map((text) => element('li', {}, text)));
  find('#wrong-address').hidden = texts.length === 0;
}

/** Sets everything: to what is given, and all else to what it begins as. */
async function restore(given) {
  // First, since the texts are compared with what they begin as.
  await speak(given.locale ?? initial.locale);
  for (const [path, control] of controls) control.write(given[path] ?? initial[path]);
  for (const { details, paths } of groups)
    if (paths.some((path) => Object.hasOwn(given, path))) details.open = true;
  await changed();
}

/** A link within the page, as the one that skips to the content, sets nothing. */
const isWithinPage = (hash) => document.getElementById(hash.slice(1)) !== null;

async function restoreAddress() {
  const hash = isWithinPage(location.hash) ? '' : location.hash;
  const { texts, complaints } = fromHash(hash, ALL);
  // Whoever has chosen a language for all pages reads this one in it, too.
  if (!texts.locale && LANGUAGES.includes(pageLanguage())) texts.locale = pageLanguage();
  await restore(texts);
  complain(complaints);
  // What can't be used stays to be put right, until something else is set.
  if (complaints.length > 0) clearTimeout(addressTimer);
}

find('#dismiss').addEventListener('click', () => {
  complain([]);
  find('#main').focus();
});

// Copying.

async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied.');
  } catch {
    // No permission: selected, it is one key away.
    if (element) getSelection().selectAllChildren(element);
    announce(element ? 'Selected. Copy it with the keyboard.' : 'Copy it from the address bar.');
  }
}

function announce(text) {
  const note = find('#copied');
  note.textContent = '';
  // The same text again would not be announced again.
  requestAnimationFrame(() => {
    note.textContent = text;
  });
}

find('#copy-snippet').addEventListener('click', () => copy(find('#snippet').textContent, find('#snippet')));
find('#copy-link').addEventListener('click', () => {
  keepInAddress();
  void copy(location.href);
});

addEventListener('hashchange', () => {
  if (isWithinPage(location.hash)) keepInAddress();
  else void restoreAddress();
});
await restoreAddress();
