/**
 * The masthead of every page: the logo and the name, the links to the other pages, what a person's own pages add, and
 * the View disclosure. A service shows only links to pages that it has.
 *
 * A page that the service makes calls `masthead(site, …)` first in its body, has `houseStyle(site, …)` in its head, and
 * has the content in `<main id="main" tabindex="-1">`, where the skip link leads:
 *
 *     html`… ${houseStyle(site, true)} … <body>${masthead(site, { path: '/docs/hosting', view: 'colours' })}
 *     <main id="main" tabindex="-1">…`
 *
 * A page that is a file, such as the demo's, has `<!-- masthead -->` there instead. `putMastheadIn` replaces it.
 */
import logo from '../../house-style/logo.svg?raw';
import { SERVICE_NAME } from '../core/given-name.ts';
import type { Finish } from '../files/serve-folder.ts';
import { versionOf } from './build-texts.ts';
import { type Html, html } from './html.ts';
import type { Site, SitePart } from './page-urls.ts';

/** In the order of the links. */
const PAGES: readonly (readonly [title: string, path: string, part: SitePart])[] = [
  ['Gallery', '/gallery/', 'demo'],
  ['Playground', '/playground/', 'demo'],
  ['Theme', '/theme/', 'demo'],
  ['Proof', '/proof/', 'demo'],
  ['Docs', '/docs/', 'docs'],
  ['Dashboard', '/dashboard/', 'dashboard'],
];

/** What the name links to: the first of these that the service has. */
const HOMES: readonly (readonly [path: string, part: SitePart])[] = [
  ['/', 'demo'],
  ['/docs/', 'docs'],
  ['/dashboard/', 'dashboard'],
];

/** Pages that belong to the documentation, wherever they are. */
const BELONGS_TO_DOCS = /^\/(reference|debug)\//;

export interface Masthead {
  /** The path of the page, such as `/docs/hosting`. The link that it belongs to is marked. @default none */
  readonly path?: string | undefined;
  /** What the View disclosure offers. @default nothing, so that there is no disclosure */
  readonly view?: View | undefined;
  /** What a person's own pages add: who has signed in, and the sign-out. @default nothing */
  readonly own?: Html | undefined;
  /** Whether the links are left out, because a person has something to decide on this page. @default false */
  readonly isPlain?: boolean;
}

/** `everything` is for the demo's pages: the widget on them can be seen in other languages, widths and so on. */
export type View = 'colours' | 'everything';

/** Begins the body: the skip link, and the header. */
export function masthead(site: Site, { path = '', view, own, isPlain = false }: Masthead = {}): Html {
  const links = PAGES.filter(([, , part]) => site.has(part)).map(
    ([title, page]) => html`<a href="${site.link(page)}"${currentOf(path, page)}>${title}</a>\n`,
  );
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="masthead">
<a class="wordmark" href="${site.link(homeOf(site))}">${LOGO}${SERVICE_NAME}</a>
${!isPlain && links.length > 1 && html`<nav aria-label="Pages">${links}</nav>`}
${own}
${view && viewDisclosure(view)}
</header>`;
}

/** The path of the first page that a person should see. */
export function homeOf(site: Site): string {
  const [home] = HOMES.find(([, part]) => site.has(part)) ?? ['/'];
  return home;
}

const LOGO_IN_PAGE = logo
  .replace('<svg ', '<svg class="logo" aria-hidden="true" ')
  .replace(/<title>.*<\/title>/, '');
/** In the page itself, so that it has the colours of the page. The file is part of the build, so it needs no escaping. */
const LOGO = html(Object.assign([LOGO_IN_PAGE], { raw: [LOGO_IN_PAGE] }));

function currentOf(path: string, page: string): Html | undefined {
  const own = BELONGS_TO_DOCS.test(path) ? `/docs${path}` : path;
  if (!own.startsWith(page)) return undefined;
  return html` aria-current="${own === page ? 'page' : 'true'}"`;
}

/** The languages other than English are added by the demo's language.js. */
function viewDisclosure(view: View): Html {
  const ofFields = html`<label>Widget language <select data-chooses="language" autocomplete="off"><option value="en">English</option></select></label>
<label>Widget direction <select data-chooses="direction" autocomplete="off"><option value="ltr">Left to right</option><option value="rtl">Right to left</option></select></label>
<label class="width"><input type="checkbox" data-chooses="width" value="320" autocomplete="off"> 320 px</label>
<label><input type="checkbox" data-chooses="text" value="large" autocomplete="off"> Large text</label>
<label class="palette"><input type="checkbox" data-chooses="palette" value="forced" autocomplete="off"> Forced colours</label>
<p class="imitation note">These forced colours are an imitation, because no page can turn on the real ones. To see those in Chromium, open the developer tools, then Rendering, and set <code>forced-colors</code> to <code>active</code>.</p>`;
  return html`<details class="view turns"><summary class="button small"><span>View<span class="differs"></span></span></summary>
<div class="popover" role="group" aria-label="View">
<label>Colours <select data-chooses="scheme" autocomplete="off"><option value="">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
${view === 'everything' && ofFields}
</div>
</details>`;
}

const PLACE = '<!-- masthead -->';

/**
 * Puts the masthead into pages that are files. Its links are relative, as those of the files are.
 *
 * @param base where the folder of the files is served, such as `/reference`
 */
export function putMastheadIn(site: Site, base: string, view: View): Finish {
  return {
    version: versionOf(`${masthead(site, { view })}`),
    apply(page, file) {
      const path = `${base}/${file}`.replace(/index\.html$/, '');
      const up = '../'.repeat(path.split('/').length - 2) || './';
      const relative = { ...site, link: (to: string) => up + to.slice(1) };
      return page.replace(PLACE, () => `${masthead(relative, { path, view })}`);
    },
  };
}
