/** The options as an author would write them, for each way of embedding. Text only; knows no document. */

/** @typedef {{ apiKey: string, [name: string]: unknown }} Given options as an author would write them */

export const SNIPPETS = [
  { value: 'tag', label: 'One tag', write: asTag },
  { value: 'queue', label: 'Queue', write: asQueue },
  { value: 'module', label: 'Module', write: asModule },
  { value: 'react', label: 'React', write: asReact },
  { value: 'vue', label: 'Vue', write: asVue },
];

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

// For a page.

/** An option as one attribute: a string as it is, all else as JSON. */
function attribute(name, value) {
  const text = isPlain(value) ? value : JSON.stringify(value);
  const quote = text.includes('"') ? "'" : '"';
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll(quote, quote === '"' ? '&quot;' : '&#39;')
    .replaceAll('<', '&lt;');
  return `data-${kebab(name)}=${quote}${escaped}${quote}`;
}

/** Whether a string still is that string when it is read as JSON where it can be. */
function isPlain(value) {
  if (typeof value !== 'string') return false;
  try {
    return typeof JSON.parse(value) !== 'string';
  } catch {
    return true;
  }
}

/** The script of a page's texts; it acts on pages in its language only. */
function localeTag(locale, serviceUrl) {
  if (locale === 'en') return '';
  const note =
    locale === 'auto' ? 'In the language of <html lang>' : `For pages with <html lang="${locale}">`;
  return `\n<!-- ${note} -->\n<script async src="${serviceUrl}/v2/locales/${locale}.js"></script>`;
}

/**
 * @param {Given} options
 * @param {string} locale `en`, `auto`, or a language
 * @param {string} serviceUrl without a slash at the end
 */
export function asTag(options, locale, serviceUrl) {
  const attributes = Object.entries(options).map(([name, value]) => `\n  ${attribute(name, value)}`);
  return `<script async src="${serviceUrl}/v2/"${attributes.join('')}></script>${localeTag(locale, serviceUrl)}`;
}

/** What would end a script, or begin a comment of HTML's in it, is in texts only: there it may be written otherwise. */
const inScript = (code) => code.replace(/<(?=[/!])/g, '<\\');

/** The same as calls, which may be made before the script has come. */
export function asQueue(options, locale, serviceUrl) {
  const calls = Object.entries(options)
    .map(([name, value]) => `\n  emailVerify('${name}', ${literal(value, '  ')});`)
    .join('');
  return `<script>
  window.emailVerify = window.emailVerify || function () { (emailVerify.q = emailVerify.q || []).push(arguments) };${inScript(calls)}
</script>
<script async src="${serviceUrl}/v2/"></script>${localeTag(locale, serviceUrl)}`;
}

// For a bundle.

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

const WIDEST = 90;

/** As people write it: `{ free: false, role: 'warn' }`; on several lines where one would be too long. */
function literal(value, indent = '') {
  if (typeof value === 'string') return quoted(value);
  if (value !== Object(value)) return String(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((item) => literal(item))
    : Object.entries(value).map(([name, member]) => `${name}: ${literal(member, `${indent}  `)}`);
  if (members.length === 0) return isList ? '[]' : '{}';
  const inOneLine = isList ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
  if (isList || (inOneLine.length + indent.length <= WIDEST && !inOneLine.includes('\n'))) return inOneLine;
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`;
}

/** Options for a bundle, which does not come from the service: it has to be told where that is. */
function objectFor(options, locale, serviceUrl, indent) {
  const { apiKey, baseUrl = serviceUrl, ...rest } = options;
  const members = Object.entries({ apiKey, baseUrl, ...rest }).map(
    ([name, value]) => `${name}: ${literal(value, `${indent}  `)}`,
  );
  if (locale === 'auto') members.push('locale: localeFor()');
  else if (locale !== 'en') members.push(`locale: ${locale}`);
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`;
}

function localeImport(locale) {
  if (locale === 'en') return '';
  const name = locale === 'auto' ? '{ localeFor }' : locale;
  return `import ${name} from 'email-verify-widget/locales/${locale}';\n`;
}

export function asModule(options, locale, serviceUrl) {
  return `import { install } from 'email-verify-widget';
${localeImport(locale)}
const widget = install(${objectFor(options, locale, serviceUrl, '')});`;
}

export function asReact(options, locale, serviceUrl) {
  return `import { useEffect } from 'react';
import { EmailInput, installEmailVerify } from 'email-verify-widget/react';
${localeImport(locale)}
export function SignUp() {
  useEffect(() => installEmailVerify(${objectFor(options, locale, serviceUrl, '  ')}), []);
  return (
    <form method="post">
      <label htmlFor="email">Email address</label>
      <EmailInput id="email" name="email" />
      <button>Create account</button>
    </form>
  );
}`;
}

export function asVue(options, locale, serviceUrl) {
  return `<script setup lang="ts">
import { onMounted, onUnmounted } from 'vue';
import { installEmailVerify, vEmailVerify } from 'email-verify-widget/vue';
${localeImport(locale)}
let takeBack = () => {};
onMounted(() => {
  takeBack = installEmailVerify(${inScript(objectFor(options, locale, serviceUrl, '  '))});
});
onUnmounted(() => takeBack());
</script>

<template>
  <form method="post">
    <label for="email">Email address</label>
    <input v-email-verify id="email" name="email" type="email">
    <button>Create account</button>
  </form>
</template>`;
}
