/** Settings as a style sheet, and a style sheet as settings. What a browser would not understand is left out. */
import { COLORS, INPUT, PARTS, Z_INDEX } from './settings.js';

const PREFIX = '--email-verify-';
const SELECTOR = '.email-verify-status';

/** Semicolons within quotes or parentheses, as in a `data:` URL, are not between declarations. */
const BETWEEN_SEMICOLONS = /(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\([^)]*\)|[^;])+/gs;

/** @returns the declarations of a text like `color: red; top: 0`, and what there is in it that is none */
export function readDeclarations(text) {
  const parts = (text.match(BETWEEN_SEMICOLONS) ?? []).map((part) => part.trim()).filter(Boolean);
  const read = parts.map((part) => {
    const [, property = '', value = ''] = /^([\w-]+)\s*:\s*(.+)$/s.exec(part) ?? [];
    return { part, property, value, isKnown: isValue(property, withoutImportance(value)) };
  });
  return {
    declarations: read.filter(({ isKnown }) => isKnown).map(({ property, value }) => [property, value]),
    unknown: read.filter(({ isKnown }) => !isKnown).map(({ part }) => part),
  };
}

const withoutImportance = (value) => value.replace(/\s*!\s*important$/i, '');

/** Whether a value is one of that property, and ends by itself: left open, it would swallow what comes after it. */
function isValue(property, value) {
  if (!CSS.supports(property, value)) return false;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`a { ${property}: ${value}; --after: 1 }`);
  return sheet.cssRules[0].style.getPropertyValue('--after').trim() === '1';
}

/** Whether a setting can be used as it is. */
export function isUsable(name, value) {
  if (name === Z_INDEX) return isValue('z-index', value);
  if (name === INPUT) return readDeclarations(declarationsIn(value)).unknown.length === 0;
  const [owner, property] = name.split('.');
  if (property === '*') return readDeclarations(value).unknown.length === 0;
  return COLORS.some((color) => color.name === owner)
    ? isValue('color', value)
    : isValue(property, withoutImportance(value));
}

/** @param {Record<string, string>} settings by name */
export function toCss(settings) {
  const get = (name) => (settings[name] && isUsable(name, settings[name]) ? settings[name] : '');
  const properties = COLORS.flatMap(({ name, fallback }) => {
    const light = get(`${name}.light`);
    const dark = get(`${name}.dark`);
    if (!light && !dark) return [];
    const value = !dark || light === dark ? light : `light-dark(${light || fallback}, ${dark})`;
    return [[PREFIX + name, value]];
  });
  if (get(Z_INDEX)) properties.push([PREFIX + Z_INDEX, get(Z_INDEX)]);
  const rules = [[SELECTOR, properties]];
  for (const { name, declarations } of PARTS) {
    const chosen = declarations.map((property) => [property, get(`${name}.${property}`)]);
    const free = readDeclarations(settings[`${name}.*`] ?? '').declarations;
    rules.push([`${SELECTOR}::part(${name})`, [...chosen.filter(([, value]) => value), ...free]]);
  }
  return rules
    .filter(([, declarations]) => declarations.length)
    .map(([selector, declarations]) => {
      const lines = declarations.map(([property, value]) => `  ${property}: ${value};\n`);
      return `${selector} {\n${lines.join('')}}\n`;
    })
    .join('\n');
}

/**
 * The declarations of an input's CSS. A rule for one of its states, such as `:focus`, says nothing of how it looks at
 * rest.
 *
 * @param {string} css declarations, or rules with them
 */
export function declarationsIn(css) {
  if (!css.includes('{')) return css;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return styleRules(sheet.cssRules)
    .filter(({ selectorText }) => !/[:&](?!root)/.test(selectorText))
    .map(({ style }) => style.cssText)
    .join('\n');
}

/**
 * @returns the declarations of an input's CSS that a browser understands, one on each line. None of them is important:
 *   in the editor, the edge of a rejected input comes after them
 */
export function knownDeclarations(css) {
  return readDeclarations(declarationsIn(css))
    .declarations.map(([property, value]) => `${property}: ${withoutImportance(value)};`)
    .join('\n');
}

/** @returns the custom properties that declarations use without a fallback, and do not define */
export function undefinedVariables(declarations) {
  const used = [...declarations.matchAll(/var\(\s*(--[\w-]+)\s*\)/g)].map(([, name]) => name);
  const defined = readDeclarations(declarations).declarations.map(([property]) => property);
  return [...new Set(used)].filter((name) => !defined.includes(name));
}

/** The look of the input, for the fields of the editor. A rejected one keeps the edge that tells it apart. */
export function inputCss(css) {
  const known = knownDeclarations(css);
  if (!known) return '';
  return `#specimens input { ${known} }
#specimens input[data-email-verify="rejected"] { border-color: var(--rejected); }
`;
}

/**
 * @param {string} css anything with rules for the status element or its parts in it; the rest is left
 * @returns {Record<string, string>} settings by name
 */
export function fromCss(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const settings = {};
  for (const { selectorText, style } of styleRules(sheet.cssRules)) {
    const part = PARTS.find(({ name }) => selectorText.endsWith(`::part(${name})`));
    if (part) Object.assign(settings, settingsOfPart(part, style.cssText, settings));
    else Object.assign(settings, settingsOfStatus(style));
  }
  return settings;
}

/** With those that are nested or in a layer; but what holds in some windows only has no place in the editor. */
function styleRules(rules) {
  return [...rules].flatMap((rule) => {
    if (rule instanceof CSSMediaRule || rule instanceof CSSContainerRule) return [];
    return [...(rule.selectorText ? [rule] : []), ...styleRules(rule.cssRules ?? [])];
  });
}

function settingsOfPart({ name, declarations }, text, before) {
  const settings = {};
  const free = [before[`${name}.*`]].filter(Boolean);
  for (const [property, value] of readDeclarations(text).declarations) {
    if (declarations.includes(property)) settings[`${name}.${property}`] = value;
    else free.push(`${property}: ${value}`);
  }
  if (free.length) settings[`${name}.*`] = free.join('; ');
  return settings;
}

function settingsOfStatus(style) {
  const settings = {};
  for (const { name } of COLORS) {
    const value = style.getPropertyValue(PREFIX + name).trim();
    if (!value) continue;
    const [light, dark] = halvesOf(value);
    settings[`${name}.light`] = light;
    if (dark) settings[`${name}.dark`] = dark;
  }
  const zIndex = style.getPropertyValue(PREFIX + Z_INDEX).trim();
  if (zIndex) settings[Z_INDEX] = zIndex;
  return settings;
}

/** Of `light-dark(a, b)`; commas within parentheses are not the one between the two. */
function halvesOf(value) {
  const within = /^light-dark\((.*)\)$/s.exec(value)?.[1];
  if (within === undefined) return [value];
  let depth = 0;
  const comma = [...within].findIndex((letter) => {
    depth += Number(letter === '(') - Number(letter === ')');
    return letter === ',' && depth === 0;
  });
  if (comma < 0) return [value];
  return [within.slice(0, comma).trim(), within.slice(comma + 1).trim()];
}
