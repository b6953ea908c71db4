/** What all pages share: the head, the masthead, and the buttons and fields of their forms. */
import { SERVICE_NAME } from '../core/given-name.ts';
import { houseStyle } from './house-style.ts';
import { type Html, html } from './html.ts';
import { type Masthead, masthead } from './masthead.ts';
import { STYLE_PATH } from './page-style.ts';
import type { Site } from './page-urls.ts';

export interface Page {
  readonly title: string;
  /** The part of the site that the page belongs to, such as `Dashboard`. @default none */
  readonly part?: string;
  readonly main: Html;
  /** Whether the page holds a small form only. @default false */
  readonly isNarrow?: boolean;
  /** What the masthead has. @default the links to the other pages */
  readonly top?: Masthead;
  /** Further style sheets and scripts. @default none */
  readonly head?: Html | undefined;
  /** What stands between the masthead and the content. @default nothing */
  readonly side?: Html;
}

export function renderPage(site: Site, page: Page): string {
  const { title, part, main, top, head, side, isNarrow = false } = page;
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title} – ${part !== undefined && `${part} – `}${SERVICE_NAME}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${houseStyle(site, top?.view !== undefined)}
<link rel="stylesheet" href="${site.link(STYLE_PATH)}">
${head}
</head>
<body>
${masthead(site, top)}
${side}
<main id="main" tabindex="-1" class="${isNarrow && 'narrow'}">
${main}
</main>
</body>
</html>
`.toString();
}

/** A name that others have chosen. Whatever its direction, it leaves that of the text around it alone. */
export const name = (text: string): Html => html`<strong><bdi>${text}</bdi></strong>`;

/**
 * Says what went wrong. Screen readers leave out an alert that the page came with, so the focus goes to the wrong field,
 * which the alert describes. Without such a field, it goes to the alert: by the script of the page, or here.
 *
 * @param isFocused on a page without scripts and without a wrong field
 */
export const problem = (text: string | Html | undefined, isFocused = false): Html | undefined =>
  text === undefined
    ? undefined
    : html`<p class="problem" id="problem" role="alert" tabindex="-1"${isFocused && html` autofocus`}>${text}</p>`;

/** Says what the action did that led to the page. The focus goes to it, so that screen readers say it. */
export const outcome = (text: string | Html): Html =>
  html`<p class="done" id="said" role="status" tabindex="-1" autofocus>${text}</p>`;

export const hidden = (fields: Iterable<readonly [string, string]>): Html[] =>
  [...fields].map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`);
