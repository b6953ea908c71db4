/** The built widget as the service serves it. The browser tests run the shipped files, never the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

const FILES: Readonly<Record<string, string>> = {
  '/v2/': 'widget.js',
  '/v2/widget.js': 'widget.js',
  '/v2/index.js': 'index.js',
};

/** `/v2/locales/de.js`, `/v2/captcha/turnstile.mjs` */
const SMALL = /^\/v2\/((locales|captcha)\/[a-z0-9-]+\.m?js)$/;

export interface WidgetFile {
  readonly type: string;
  readonly body: string;
}

/** The built file that belongs to a path of the service, or `undefined` for any other path. */
export function widgetFile(path: string): WidgetFile | undefined {
  const name = FILES[path] ?? SMALL.exec(path)?.[1];
  if (name === undefined) return undefined;
  assertBuilt();
  if (!existsSync(DIST + name)) return undefined;
  return { type: 'text/javascript; charset=utf-8', body: readFileSync(DIST + name, 'utf8') };
}

/** @throws with advice if the build does not exist */
export function assertBuilt(): void {
  for (const name of new Set(Object.values(FILES))) {
    if (!existsSync(DIST + name))
      throw new Error(`Expected dist/${name}, found nothing. Run \`npm run build\` first.`);
  }
}
