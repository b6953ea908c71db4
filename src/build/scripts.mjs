/** What pages load besides the widget. esbuild makes all of it in a moment. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { bundle, inputsOf, smallForBrowser } from './esbuild.mjs';

/** The frameworks that have an entry. Each is a file with its name. */
export const FRAMEWORKS = ['react', 'vue'];

export const DEBUG_SCRIPT = 'email-verify-widget-debug.js';

export async function makeScripts(out) {
  mkdirSync(`${out}/demo-libraries`, { recursive: true });
  // The demo shows a form in the style of Bootstrap.
  const style = 'bootstrap.min.css';
  copyFileSync(`node_modules/bootstrap/dist/css/${style}`, `${out}/demo-libraries/${style}`);
  const built = await Promise.all([
    ...languages().map((language) => buildLocale(language, out)),
    buildAllLocales(out),
    buildDebug('script', `dist/${DEBUG_SCRIPT}`, 'iife', out),
    buildDebug('index', 'dist/debug.mjs', 'esm', out),
    ...captchas().map((file) => buildCaptcha(file, out)),
    ...FRAMEWORKS.map((framework) => buildComponents(framework, out)),
    buildServerForDemo(out),
  ]);
  return inputsOf(built.flat());
}

/** The languages with texts. Each is a file with the language's name. */
export function languages() {
  return readdirSync('src/locales').flatMap((name) => /^([a-z]{2,3})\.ts$/.exec(name)?.[1] ?? []);
}

/** The captcha providers with a helper. Each is a file with the provider's name. */
export function captchas() {
  return readdirSync('src/captcha').flatMap((name) => /^([a-z][a-z0-9-]+)\.ts$/.exec(name)?.[1] ?? []);
}

/** One language: a script that gives its texts to the page's widget, and a module that exports them. */
function buildLocale(language, out) {
  const script = `
    import texts from './${language}.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale({ ${language}: texts });`;
  return buildPair('locales', language, script, `export { default } from './${language}.ts';`, out);
}

/** All languages in one file, which uses the page's language. */
function buildAllLocales(out) {
  const script = `
    import { LOCALES } from './page/every-language.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale(LOCALES);`;
  return buildPair('locales', 'auto', script, `export * from './auto.ts';`, out);
}

/** One captcha helper: a script that gives it to the page's widget, and a module that exports it. */
function buildCaptcha(file, out) {
  const name = file.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const script = `
    import { ${name} } from './${file}.ts';
    import { giveCaptcha } from './page/command.ts';
    giveCaptcha('${name}', ${name});`;
  return buildPair('captcha', file, script, `export * from './${file}.ts';`, out);
}

/**
 * `<name>.js` for a script tag, like widget.js, and `<name>.mjs` for an import. They are ASCII, so that the texts are
 * correct in pages of any encoding. They are too small for source maps.
 */
function buildPair(folder, name, script, module, out) {
  const build = (contents, extension, format) => {
    const stdin = { contents, resolveDir: `src/${folder}` };
    const outfile = `dist/${folder}/${name}.${extension}`;
    return bundle({ ...smallForBrowser, stdin, outfile, format, charset: 'ascii' }, out);
  };
  return Promise.all([build(script, 'js', 'iife'), build(module, 'mjs', 'esm')]);
}

/** The file for the option `debug`: for a script tag, and as a module. */
function buildDebug(entry, outfile, format, out) {
  return bundle({ ...smallForBrowser, entryPoints: [`src/debug/${entry}.ts`], outfile, format }, out);
}

/** A framework's entry. It imports the framework and the widget, and contains neither. */
function buildComponents(framework, out) {
  const entryPoints = [`src/frameworks/${framework}.ts`];
  const outfile = `dist/${framework}.js`;
  const external = [framework, 'email-verify-widget'];
  return bundle({ ...smallForBrowser, entryPoints, outfile, format: 'esm', external }, out);
}

/** What servers import. A page of the demo runs it, so that it shows what a server would find. */
function buildServerForDemo(out) {
  const outfile = 'dist/demo-libraries/server.js';
  return bundle({ ...smallForBrowser, entryPoints: ['src/server/index.ts'], outfile, format: 'esm' }, out);
}
