/** Marks the words of code for the style sheet, so that no page needs a script for it. */
import highlighter from '@highlightjs/cdn-assets/es/core.min.js';
import bash from '@highlightjs/cdn-assets/es/languages/bash.min.js';
import css from '@highlightjs/cdn-assets/es/languages/css.min.js';
import http from '@highlightjs/cdn-assets/es/languages/http.min.js';
import javascript from '@highlightjs/cdn-assets/es/languages/javascript.min.js';
import json from '@highlightjs/cdn-assets/es/languages/json.min.js';
import php from '@highlightjs/cdn-assets/es/languages/php.min.js';
import python from '@highlightjs/cdn-assets/es/languages/python.min.js';
import typescript from '@highlightjs/cdn-assets/es/languages/typescript.min.js';
import xml from '@highlightjs/cdn-assets/es/languages/xml.min.js';
import yaml from '@highlightjs/cdn-assets/es/languages/yaml.min.js';

const LANGUAGES = { bash, css, http, javascript, json, php, python, typescript, xml, yaml };

for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

/** By the names that the documents use. */
const NAMES: Readonly<Record<string, keyof typeof LANGUAGES>> = {
  css: 'css',
  html: 'xml',
  http: 'http',
  js: 'javascript',
  json: 'json',
  php: 'php',
  python: 'python',
  sh: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  yaml: 'yaml',
};

/** @returns HTML, or `undefined` for a language that is shown without marks */
export function highlight(code: string, name: string): string | undefined {
  const language = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  return language && highlighter.highlight(code, { language }).value;
}
