/** Whom people can ask, as the operator's setting `support` says: an email address, a URL, or a text. */
import { type Html, html } from './html.ts';

/** As a link, or as a sentence. @param before what stands before a link, such as `Ask ` */
export function supportWords(support: string, before: string, after: string): Html {
  if (/^[^\s@]+@[^\s@]+$/.test(support))
    return html`${before}<a href="mailto:${encodeURI(support)}">${support}</a>${after}`;
  if (/^https?:\/\/\S+$/.test(support)) return html`${before}<a href="${support}">${support}</a>${after}`;
  return html`${support}`;
}
