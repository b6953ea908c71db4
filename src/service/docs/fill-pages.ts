/**
 * Completes the pages of the documentation. The build makes all of a page but what differs between services
 * (docs/site/service-values.ts).
 */
import { DEMO_KEYS } from '../demo/demo-keys.ts';
import type { Finish } from '../files/serve-folder.ts';
import { versionOf } from '../pages/build-texts.ts';
import { html, type Value } from '../pages/html.ts';
import { masthead } from '../pages/masthead.ts';
import type { Site } from '../pages/page-urls.ts';

/** Where the service is if its config does not say it. The page's script puts in where the page is. */
const SOMEWHERE = 'http://127.0.0.1:8080';

export interface Fill extends Finish {
  /** @param more values for this page alone */
  apply(page: string, path: string, more?: Readonly<Record<string, Value>>): string;
}

/** @param isDemo whether the demo's keys work, so that forms and code can contain them */
export function fillPages(site: Site, isDemo: boolean): Fill {
  const [inPages = '', fromPrograms = ''] = isDemo ? DEMO_KEYS.map(({ key }) => key) : [];
  const values: Readonly<Record<string, Value>> = {
    root: site.link(''),
    origin: site.origin ?? SOMEWHERE,
    isSomewhere: site.origin === undefined && html` data-origin="${SOMEWHERE}"`,
    publicKey: inPages,
    privateKey: fromPrograms,
    codeKey: fromPrograms || 'test_your_key',
  };
  const mastheadAt = (path: string) => masthead(site, { path: `/docs/${path}`, view: 'colours' });
  return {
    version: versionOf([mastheadAt(''), site.has('reference'), ...Object.values(values)].join()),
    apply(page, path, more) {
      const known: typeof values = { ...values, masthead: mastheadAt(path), ...more };
      return page
        .replace(/@@if (\w+)@@(.*?)@@end@@/gs, (_, part, content) => (site.has(part) ? content : ''))
        .replace(/@@(\w+)@@/g, (_, name) => `${html`${known[name]}`}`);
    },
  };
}
