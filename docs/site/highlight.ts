/** Marks the words of code for the style sheet, so that no page needs a script for it. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

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
