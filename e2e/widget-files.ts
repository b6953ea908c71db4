/** The built widget. The browser tests run the shipped files, never the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** Both in one file, for whoever can copy only one. */
export const standaloneScript = () => readFileSync(`${DIST}widget-standalone.js`, 'utf8');

/** The script that the service serves at `/v2/`. */
export const widgetScript = () => readFileSync(`${DIST}widget.js`, 'utf8');

/** What the script loads when a visitor first uses an input. */
export const faceScript = () => readFileSync(`${DIST}email-verify-widget-status.js`, 'utf8');

/** The version of the built files. */
export const builtVersion = () =>
  (JSON.parse(readFileSync(`${DIST}integrity.json`, 'utf8')) as { version: string }).version;

/** @throws with advice if the build does not exist */
export function assertBuilt(): void {
  for (const name of ['widget.js', 'index.js']) {
    if (!existsSync(DIST + name))
      throw new Error(`Expected dist/${name}, found nothing. Run \`npm run build\` first.`);
  }
}
