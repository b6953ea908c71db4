/** The built scripts, as they are in dist/. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('shortens every property that begins with an underscore, and leaves what others read', () => {
  for (const file of ['widget.js', 'widget-standalone.js', 'index.js']) {
    const source = readFileSync(`dist/${file}`, 'utf8');
    expect(source.match(/[.{,]_[a-z]{3,}/gi)).toBeNull();
    // Events are looked up by their types, the debug file reads `own` and `options`, a captcha may have `cancel`.
    for (const name of ['input', 'own', 'options', 'explain', 'cancel']) {
      expect(source).toMatch(new RegExp(`[.{,]${name}\\b`));
    }
  }
});

it('shows the integrity of the script in the README', () => {
  const { version, integrity } = JSON.parse(readFileSync('dist/integrity.json', 'utf8'));
  const shown = `/v${version}/" integrity="${integrity['widget.js']}" crossorigin`;
  const isThere = readFileSync('README.md', 'utf8').includes(shown);
  expect(isThere, 'The README has another hash. Run: node .ci/release-check.mjs --write').toBe(true);
});
