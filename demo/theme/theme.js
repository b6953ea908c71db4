/**
 * The theme editor: what is set goes into the fields' own frames, into the address, and out as CSS; what can be seen
 * there is measured.
 */
import { element } from '../element.js';
import { formatRatio } from './contrast.js';
import { settingsOfInput } from './match.js';
import { colorOf, findPart, measure, PAIRS } from './measure.js';
import { PRESETS } from './presets.js';
import { COLORS, INPUT, NAMES, PARTS, Z_INDEX } from './settings.js';
import {
  fromCss,
  inputCss,
  isUsable,
  knownDeclarations,
  readDeclarations,
  toCss,
  undefinedVariables,
} from './style-sheet.js';

const SCHEMES = ['light', 'dark'];
/** Long enough for a colour that is being dragged to come to rest. */
const QUIET_MS = 600;

const find = (selector) => document.querySelector(selector);
const form = find('#settings');
const frames = Object.fromEntries(SCHEMES.map((scheme) => [scheme, find(`iframe[src$="scheme=${scheme}"]`)]));
const pageOf = (scheme) => frames[scheme].contentDocument;

// Controls.

const PREFIX = '--email-verify-';
const CHOICES = {
  'font-weight': ['400', '500', '600', '700'],
  'border-style': ['dotted', 'dashed', 'solid', 'double'],
};

/** Text fields by the name of their setting, and for colours what picks one. */
const pickers = new Map();

function textField(name, label, attributes = {}) {
  const field = element('input', { name, spellcheck: 'false', dir: 'ltr', ...attributes });
  return [element('label', {}, element('span', {}, label), field), field];
}

function colorField(name, scheme) {
  const setting = `${name}.${scheme}`;
  const title = scheme === 'light' ? 'Light' : 'Dark';
  const [label, field] = textField(setting, title);
  const picker = element('input', { type: 'color', 'aria-label': `Pick ${PREFIX}${name}, ${scheme}` });
  picker.addEventListener('input', () => {
    field.value = picker.value;
    apply();
  });
  pickers.set(setting, picker);
  return element('div', { class: 'color' }, picker, label);
}

function partField(part, property) {
  const setting = `${part}.${property}`;
  const choices = CHOICES[property];
  if (!choices) return textField(setting, property)[0];
  const options = ['', ...choices].map((value) => element('option', { value }, value));
  return element(
    'label',
    {},
    element('span', {}, property),
    element('select', { name: setting }, ...options),
  );
}

/** @param {string} says what is code in it stands between no quotes: it is all prose */
function group(legend, says, ...fields) {
  return element(
    'fieldset',
    { class: 'setting' },
    element('legend', {}, element('code', {}, legend)),
    element('p', { class: 'note' }, says),
    element('div', { class: 'values columns' }, ...fields),
  );
}

find('#properties').append(
  ...COLORS.map(({ name, says }) =>
    group(PREFIX + name, says, ...SCHEMES.map((scheme) => colorField(name, scheme))),
  ),
  group(
    PREFIX + Z_INDEX,
    'The floating box.',
    textField(Z_INDEX, 'Whole number', { type: 'number', step: '1', inputmode: 'numeric' })[0],
  ),
);
find('#parts').append(
  ...PARTS.map(({ name, says, declarations }) => {
    const free = element('textarea', {
      name: `${name}.*`,
      rows: '2',
      spellcheck: 'false',
      dir: 'ltr',
      placeholder: 'letter-spacing: 0.02em; …',
    });
    return group(
      name,
      says,
      ...declarations.map((property) => partField(name, property)),
      element('label', { class: 'free' }, element('span', {}, 'Other declarations'), free),
    );
  }),
);
for (const control of form.elements) {
  if (!control.name) continue;
  const fault = element('p', { class: 'fault', id: `fault-${control.name}` });
  control.closest('.color, label').after(fault);
}

// Settings.

function read() {
  const settings = Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, value.trim().replaceAll('\r', '')]),
  );
  return Object.fromEntries(NAMES.filter((name) => settings[name]).map((name) => [name, settings[name]]));
}

function write(settings) {
  for (const name of NAMES) form.elements[name].value = settings[name] ?? '';
}

function apply() {
  const settings = read();
  const css = toCss(settings);
  for (const scheme of SCHEMES) restyle(scheme, css + inputCss(settings[INPUT] ?? ''));
  find('#css').textContent = css || '/* The widget’s own looks. */';
  for (const name of NAMES) showFault(name, settings[name] ?? '');
  const address = String(new URLSearchParams(settings));
  history.replaceState(null, '', address ? `#${address}` : location.pathname + location.search);
  show();
}

const sheets = new Map();

/** In a sheet of the frame's own, as an author's would be. */
function restyle(scheme, css) {
  const page = pageOf(scheme);
  const Sheet = page?.defaultView.CSSStyleSheet;
  if (!Sheet) return;
  const sheet = sheets.get(page) ?? new Sheet();
  sheet.replaceSync(css);
  if (!sheets.has(page)) page.adoptedStyleSheets = [sheet];
  sheets.set(page, sheet);
}

function showFault(name, value) {
  const control = form.elements[name];
  const fault = document.getElementById(`fault-${name}`);
  const isFine = !value || isUsable(name, value);
  fault.textContent = isFine ? '' : faultOf(name, value);
  if (isFine) {
    control.removeAttribute('aria-invalid');
    control.removeAttribute('aria-describedby');
  } else {
    control.setAttribute('aria-invalid', 'true');
    control.setAttribute('aria-describedby', fault.id);
  }
}

function faultOf(name, value) {
  if (name.endsWith('*') || name === INPUT)
    return `Not valid CSS: ${readDeclarations(value).unknown.join('; ')}`;
  if (name === Z_INDEX) return 'Expected a whole number.';
  const isColor = /\.(light|dark)$/.test(name);
  return isColor ? 'Expected a CSS colour.' : `Expected a value for ${name.split('.')[1]}.`;
}

// What is seen.

const rows = PAIRS.map((pair) => {
  const cells = SCHEMES.map(() => element('td', {}));
  find('#pairs').append(element('tr', {}, element('th', { scope: 'row' }, pair.title), ...cells));
  return { pair, cells };
});

const rgb = (color) => `rgb(${color.join(' ')})`;

function show() {
  const weak = [];
  let measured = 0;
  for (const { pair, cells } of rows) {
    SCHEMES.forEach((scheme, at) => {
      const found = pageOf(scheme)?.body && measure(pageOf(scheme), pair);
      cells[at].replaceChildren(...(found ? ratioOf(found, pair) : ['–']));
      cells[at].className = found && found.ratio < pair.least ? 'weak' : '';
      if (found) measured += 1;
      if (cells[at].className) weak.push(`${pair.title} (${scheme})`);
    });
  }
  if (measured) summarise(weak, measured === rows.length * SCHEMES.length);
  showLiveValues();
}

function ratioOf({ ratio, front, back }, { least }) {
  const chip = element('span', { class: 'chip', 'aria-hidden': 'true' });
  chip.style.setProperty('--front', rgb(front));
  chip.style.setProperty('--back', rgb(back));
  const figure = element('span', { class: 'figure' }, chip, formatRatio(ratio));
  return ratio < least ? [figure, element('span', { class: 'below' }, `below ${least}:1`)] : [figure];
}

let quiet;

/** Said when it has come to rest: a screen reader reads it. */
function summarise(weak, isWhole) {
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    const summary = find('#summary');
    const text = weak.length
      ? `Contrast too low: ${weak.join(', ')}.`
      : `Contrast is high enough: 4.5:1 for texts, 3:1 for edges${isWhole ? '' : ', as far as it can be measured'}.`;
    summary.className = `outcome ${weak.length ? 'rejected' : 'accepted'}`;
    if (summary.textContent !== text) summary.textContent = text;
  }, QUIET_MS);
}

/** Where nothing is set, what holds: in the picker, and as the placeholder. */
function showLiveValues() {
  for (const { name } of COLORS) {
    for (const scheme of SCHEMES) {
      const color = pageOf(scheme)?.body && colorOf(pageOf(scheme), name);
      if (!color) continue;
      const setting = `${name}.${scheme}`;
      pickers.get(setting).value = color;
      form.elements[setting].placeholder = color;
    }
  }
  for (const { name, declarations } of PARTS) {
    const specimen = { spinner: 'verifying', suggestion: 'suggestion-accepted' }[name] ?? 'rejected';
    const part = pageOf('light')?.body && findPart(pageOf('light'), specimen, 'floating', name);
    if (!part) continue;
    const style = getComputedStyle(part);
    for (const property of declarations) {
      const control = form.elements[`${name}.${property}`];
      const value = style.getPropertyValue(property);
      if (control.options) control.options[0].textContent = `unchanged: ${value}`;
      else control.placeholder = value;
    }
  }
  const host = pageOf('light')?.querySelector('.email-verify-floating');
  if (host) form.elements[Z_INDEX].placeholder = getComputedStyle(host).zIndex;
}

// What happens.

form.addEventListener('input', apply);
form.addEventListener('submit', (event) => event.preventDefault());

for (const { title, settings, input } of PRESETS) {
  const button = element('button', { type: 'button', class: 'small' }, title);
  button.addEventListener('click', () => {
    write({ ...settings, [INPUT]: input });
    apply();
  });
  find('#presets').append(button);
}

function matchOutcome(input, missing) {
  if (!input)
    return 'Found no declarations. Paste something like border-radius: 6px; border: 1px solid #888.';
  if (missing.length)
    return `Your CSS does not define ${missing.join(', ')}. Paste the rule that does, for example :root { ${missing[0]}: … }.`;
  return 'The status now has the radius, border, font and colours of your input.';
}

find('#match').addEventListener('click', () => {
  const input = knownDeclarations(form.elements[INPUT].value);
  const missing = undefinedVariables(input);
  find('#match-outcome').textContent = matchOutcome(input, missing);
  if (!input || missing.length || !SCHEMES.every((scheme) => pageOf(scheme)?.body)) return;
  const pages = Object.fromEntries(SCHEMES.map((scheme) => [scheme, pageOf(scheme)]));
  write({ ...settingsOfInput(pages, input), [INPUT]: input });
  apply();
});

find('#import').addEventListener('submit', (event) => {
  event.preventDefault();
  const settings = fromCss(find('#imported').value);
  const count = Object.keys(settings).length;
  find('#import-outcome').textContent = count
    ? `Imported ${count} ${count === 1 ? 'value' : 'values'}.`
    : 'Found no rule for .email-verify-status outside media and container queries.';
  if (!count) return;
  write({ ...settings, [INPUT]: form.elements[INPUT].value });
  apply();
});

function readAddress() {
  write(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
}
// Before anything applies the form, which puts the form into the address.
readAddress();
apply();

for (const scheme of SCHEMES) {
  const begin = () => {
    const page = pageOf(scheme);
    if (!page?.body || page.URL === 'about:blank') return;
    // The states come one by one, and each brings its colours.
    // "Checking…" comes a moment after the state: what has a box now is seen in the status elements themselves.
    const boxes = new MutationObserver(show);
    const follow = () => {
      show();
      for (const { shadowRoot } of page.querySelectorAll('.email-verify-status')) {
        if (shadowRoot) boxes.observe(shadowRoot, { childList: true });
      }
    };
    // The widget's second file may come after all states.
    const asked = { subtree: true, childList: true, attributeFilter: ['data-email-verify'] };
    new MutationObserver(follow).observe(page, asked);
    new MutationObserver(show).observe(page.documentElement, { attributes: true });
    apply();
  };
  frames[scheme].addEventListener('load', begin);
  if (pageOf(scheme)?.readyState === 'complete') begin();
}

addEventListener('hashchange', () => {
  // A link within the page is no theme, and leaves the present one where it was.
  if (location.hash.includes('=')) readAddress();
  apply();
});
