/**
 * Reads a Markdown file as GitHub does: its headings with their anchors, its links with their lines, and its text for
 * the search. `htmlOf` writes it as HTML that a strict Content Security Policy allows.
 */
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import { highlight } from './highlight.ts';

/** A link or a picture, as the file has it. */
export interface Link {
  readonly href: string;
  readonly line: number;
  /** Makes it lead to a URL of the site. */
  set(url: string): void;
}

export interface OutlineEntry {
  readonly id: string;
  readonly title: string;
  /** Of the heading: 2 or 3. */
  readonly level: number;
}

/** What stands under one heading. */
export interface Passage {
  /** Of the heading. Empty for the first one, which is the page's. */
  readonly id: string;
  readonly heading: string;
  readonly text: string;
  readonly code: string;
  /** The code in the first column of its tables, a line each: what they define. */
  readonly names: string;
}

export interface Document {
  readonly title: string;
  readonly anchors: ReadonlySet<string>;
  readonly outline: readonly OutlineEntry[];
  readonly passages: readonly Passage[];
  readonly links: readonly Link[];
  /** What cannot become a page, with its line. */
  readonly faults: readonly { readonly line: number; readonly what: string }[];
  /** Call it after the links are set. */
  htmlOf(): string;
}

/** Headings from this level down are parts of the passage around them. */
const DEEPEST = 3;

const markdown = new MarkdownIt({ html: true, linkify: true });
// An address in a text is an example.
markdown.linkify.set({ fuzzyEmail: false, fuzzyLink: false });
type Token = ReturnType<typeof markdown.parse>[number];

// A heading is a link to itself, so that readers can copy its URL.
markdown.renderer.rules.heading_open = (tokens, index, options, _env, renderer) => {
  const token = tokens[index]!;
  const open = renderer.renderToken(tokens, index, options);
  return token.meta ? `${open}<a href="#${token.meta.id}">` : open;
};
markdown.renderer.rules.heading_close = (tokens, index, options, _env, renderer) =>
  `${tokens[index]!.meta ? '</a>' : ''}${renderer.renderToken(tokens, index, options)}`;
/** A link that is all there is in its entry of a list is a target of its own, and has the size of one. */
markdown.renderer.rules.list_item_open = (tokens, index, options, _env, renderer) => {
  const { children } = tokens[index + 2] ?? {};
  const isLink = children?.[0]?.type === 'link_open' && children.at(-1)?.type === 'link_close';
  if (isLink && children.filter(({ type }) => type === 'link_open').length === 1)
    tokens[index]!.attrJoin('class', 'lone');
  return renderer.renderToken(tokens, index, options);
};
markdown.renderer.rules.fence = (tokens, index) => {
  const { content, info } = tokens[index]!;
  const [language = ''] = info.trim().split(/\s+/);
  const { escapeHtml } = markdown.utils;
  const named = language === '' ? '' : ` class="language-${escapeHtml(language)}"`;
  const code = highlight(content, language) ?? escapeHtml(content);
  return `<div class="code"><pre tabindex="0"><code${named}>${code}</code></pre></div>\n`;
};
// What a table is about is what its heading says: a reader who reaches it with the Tab key hears it.
markdown.renderer.rules.table_open = (tokens, index) =>
  `<div class="wide scroll" role="group" tabindex="0" aria-label="${markdown.utils.escapeHtml(String(tokens[index]!.meta?.label))}"><table>\n`;
markdown.renderer.rules.table_close = () => '</table></div>\n';
// Comments are for those who edit the file. Any other HTML is a fault.
markdown.renderer.rules.html_block = () => '';
markdown.renderer.rules.html_inline = () => '';

export function readMarkdown(text: string): Document {
  const tokens = markdown.parse(text, {});
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const outline: OutlineEntry[] = [];
  const links: Link[] = [];
  const faults: { line: number; what: string }[] = [];
  const passages: { -readonly [Name in keyof Passage]: Passage[Name] }[] = [];
  const tables = new Map<string, number>();
  const lists: (readonly Token[])[] = [];
  let title = '';
  let heading = '';
  let line = 1;
  for (const [index, token] of tokens.entries()) {
    if (token.map) line = token.map[0] + 1;
    if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1));
      const inline = tokens[index + 1]!;
      heading = textOf(inline);
      const id = slugger.slug(heading);
      anchors.add(id);
      if (level === 1) {
        if (title !== '') faults.push({ line, what: 'a second heading of the first level' });
        title = heading;
      } else {
        token.attrSet('id', id);
        // A link within a link is no HTML.
        if (!inline.children?.some(({ type }) => type === 'link_open'))
          token.meta = tokens[index + 2]!.meta = { id };
        if (level <= DEEPEST) outline.push({ id, title: heading, level });
      }
      if (level <= DEEPEST)
        passages.push({ id: level === 1 ? '' : id, heading, text: '', code: '', names: '' });
    }
    const passage = passages.at(-1);
    if (token.type === 'inline') {
      links.push(...linksIn(token, line));
      const hasHtml = token.children?.some((child) => child.type === 'html_inline' && !isComment(child));
      if (hasHtml) faults.push({ line, what: 'HTML, which the site does not show' });
      if (passage && tokens[index - 1]?.type !== 'heading_open') passage.text += `${textOf(token)}\n`;
    }
    if (token.type === 'html_block' && !isComment(token))
      faults.push({ line, what: 'HTML, which the site does not show' });
    if (isFirstCell(tokens, index) && passage) passage.names += namesIn(tokens[index + 1]!);
    if (/^(fence|code_block)$/.test(token.type) && passage) passage.code += `${token.content}\n`;
    if (token.type === 'table_open') {
      const count = (tables.get(heading) ?? 0) + 1;
      tables.set(heading, count);
      token.meta = { label: `Table: ${heading}${count > 1 ? `, ${count}` : ''}` };
    }
    if (token.type === 'bullet_list_open') lists.push(blockAt(tokens, index));
    if (token.type === 'thead_open') hideIfEmpty(blockAt(tokens, index));
    if (/^t[hd]_open$/.test(token.type)) fitCell(token, tokens[index + 1]!, tokens[index + 2]!);
  }
  if (title === '') faults.push({ line: 1, what: 'no heading of the first level' });
  // Every page of the site has a list of its headings already.
  const chapters = outline.filter(({ level }) => level === 2).map(({ id }) => `#${id}`);
  const contents = lists.find((list) => chapters.length > 0 && linksOnly(list).join() === chapters.join());
  const shown = tokens.filter((token) => !contents?.includes(token));
  const htmlOf = () => markdown.renderer.render(shown, markdown.options, {});
  return { title, anchors, outline, passages, links, faults, htmlOf };
}

const isComment = ({ content }: Token): boolean => /^\s*<!--.*?-->\s*$/s.test(content);

/** What a reader sees of an inline token. */
function textOf({ children }: Token): string {
  return (children ?? [])
    .map((child) =>
      /break$/.test(child.type) ? ' ' : /^(text|code_inline)$/.test(child.type) ? child.content : '',
    )
    .join('');
}

const isFirstCell = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]!.type === 'td_open' && tokens[index - 1]?.type === 'tr_open';

/** @returns the names in a cell, a line each. A cell with words between them tells of the names and defines none. */
function namesIn({ children }: Token): string {
  const parts = children ?? [];
  const hasWords = parts.some(({ type, content }) => type === 'text' && /[^\s,;]/.test(content));
  return hasWords
    ? ''
    : parts.map(({ type, content }) => (type === 'code_inline' ? `${content}\n` : '')).join('');
}

function linksIn(inline: Token, firstLine: number): Link[] {
  let line = firstLine;
  const links: Link[] = [];
  for (const child of inline.children ?? []) {
    if (/break$/.test(child.type)) line += 1;
    const name = child.type === 'link_open' ? 'href' : child.type === 'image' ? 'src' : undefined;
    if (name === undefined) continue;
    links.push({ href: String(child.attrGet(name)), line, set: (url) => child.attrSet(name, url) });
  }
  return links;
}

/** The token and everything up to the one that closes it. */
function blockAt(tokens: readonly Token[], index: number): readonly Token[] {
  const close = tokens[index]!.type.replace('_open', '_close');
  const { level } = tokens[index]!;
  const end = tokens.findIndex((token, at) => at > index && token.type === close && token.level === level);
  return tokens.slice(index, end + 1);
}

/** What the links of a list lead to, if it has nothing but links. */
function linksOnly(list: readonly Token[]): readonly string[] {
  const items = list.filter(({ type }) => type === 'inline').map(({ children }) => children ?? []);
  const isLink = (item: readonly Token[]) =>
    item[0]?.type === 'link_open' && item.findIndex(({ type }) => type === 'link_close') === item.length - 1;
  return items.every(isLink) ? items.map(([open]) => String(open!.attrGet('href'))) : [];
}

/** GitHub's tables need a header row, even if it says nothing. */
function hideIfEmpty(header: readonly Token[]): void {
  if (header.some(({ type, content }) => type === 'inline' && content.trim() !== '')) return;
  for (const token of header) token.hidden = true;
}

/** The policy of the pages allows no style attribute, and a header without text names nothing. */
function fitCell(open: Token, inline: Token, close: Token): void {
  const [, side] = /text-align:(\w+)/.exec(String(open.attrGet('style') ?? '')) ?? [];
  open.attrs = (open.attrs ?? []).filter(([name]) => name !== 'style');
  if (side === 'right') open.attrSet('class', 'end');
  if (side === 'center') open.attrSet('class', 'center');
  if (open.type !== 'th_open') return;
  if (inline.content.trim() === '') {
    open.tag = 'td';
    close.tag = 'td';
  } else open.attrSet('scope', 'col');
}
