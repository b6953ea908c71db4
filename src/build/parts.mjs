/**
 * The parts of the build. Each has its sources, what it leaves in dist/, and the function that makes it and returns the
 * sources that it really read. The tools are loaded by the part that needs them.
 *
 * `atStart` says when a start from the sources makes it: before the service runs, beside it, or after it listens. A part
 * without it is only published.
 */

/** What every part is made with. */
const WITH = ['src/build', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** What pages load. `src/protocol` and the others below it are what this shares with the service. */
const FOR_PAGES = [
  ...['src/widget', 'src/locales', 'src/captcha', 'src/debug', 'src/frameworks'],
  ...['src/protocol', 'src/shared'],
];
const TESTING_KIT = [
  ...['src/testing', 'src/sample'],
  ...['src/engine/address', 'src/engine/facts', 'src/engine/verifier.ts'],
];

export const PARTS = [
  {
    name: 'programs',
    atStart: 'before',
    sources: ['src', 'test/engine/world', ...WITH],
    outputs: ['service', 'admin', 'check', 'world', 'dashboard.js'],
    make: async (out) => (await import('./programs.mjs')).makePrograms(out),
  },
  {
    name: 'scripts',
    atStart: 'before',
    sources: [...FOR_PAGES, 'src/server', ...WITH],
    outputs: [
      ...['locales', 'captcha', 'email-verify-widget-debug.js', 'debug.mjs', 'react.js', 'vue.js'],
      'demo-libraries',
    ],
    make: async (out) => (await import('./scripts.mjs')).makeScripts(out),
  },
  {
    name: 'widget',
    atStart: 'beside',
    needs: ['scripts'],
    sources: [...FOR_PAGES, ...WITH],
    outputs: [
      ...['widget.js', 'widget-standalone.js', 'index.js', 'email-verify-widget-status.js'].flatMap(
        (name) => [name, `${name}.map`],
      ),
      'integrity.json',
    ],
    make: async (out) => (await import('./widget.mjs')).makeWidget(out, 'dist'),
  },
  {
    name: 'docs',
    atStart: 'after',
    // The API's reference is made of its routes. The Markdown files at the top and in bench/ have headings that pages link to.
    sources: [
      ...['docs', 'deploy'],
      ...['size', 'results', 'load', 'history', 'figures'].map((name) => `bench/${name}.md`),
      ...['src/service', 'src/engine', 'src/protocol', 'src/shared', 'src/house-style'],
      ...['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', ...WITH],
    ],
    outputs: ['docs'],
    make: async (out, scratch) => (await import('./docs.mjs')).makeDocumentation(out, scratch),
  },
  {
    name: 'reference',
    atStart: 'after',
    sources: [...FOR_PAGES, ...TESTING_KIT, ...['src/server', 'docs/reference'], ...WITH],
    outputs: ['reference'],
    make: async (out) => (await import('../../docs/reference/make.mjs')).makeReference(out),
  },
  {
    name: 'package',
    sources: [
      ...[...FOR_PAGES, ...TESTING_KIT, ...WITH],
      ...['src/server', 'tsconfig.types.json', 'tsconfig.types-testing.json'],
    ],
    outputs: ['types', 'testing', 'server.js', 'server.d.ts', 'index.d.ts', 'react.d.ts', 'vue.d.ts'],
    make: async (out) => (await import('./package.mjs')).makePackage(out),
  },
];
