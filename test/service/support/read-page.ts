/**
 * Reads what most tests want to know of a page: its text, its buttons, and the fields of its forms. A document would take a
 * hundred times as long to make. It relies on how the service writes pages: all elements are closed, forms are in no other
 * form, and five characters are escaped.
 */

/** A field of a form. */
export interface PageField {
  readonly id: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly isChecked: boolean;
}

export interface PageButton {
  readonly name: string | undefined;
  readonly value: string | undefined;
  /** The form around it. */
  readonly form: { readonly action: string; readonly fields: readonly PageField[] } | undefined;
}

const INSIDE = `(?:[^>"']|"[^"]*"|'[^']*')*`;
const SCRIPT = `<(script|style)\\b${INSIDE}>([^]*?)</\\1>`;
const MARKUP = new RegExp(`<!--[^]*?-->|${SCRIPT}|<\\/?[a-z]${INSIDE}>`, 'gi');
const FIELDS = new RegExp(`<(?:(input)\\b(${INSIDE})|(select|textarea)\\b(${INSIDE})>([^]*?)</\\3)>`, 'gi');

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) => {
    const found = code ? String.fromCodePoint(Number(code)) : CHARACTERS[name];
    if (found === undefined) throw new Error(`Expected a page that escapes five characters, got ${whole}.`);
    return found;
  });

/** Without what is in templates, which is no part of the page. */
const shown = (page: string): string =>
  page.replace(new RegExp(`<template\\b${INSIDE}>[^]*?</template>`, 'gi'), '');

function contentOf(html: string): string {
  let text = '';
  let end = 0;
  for (const { 0: markup, 2: raw = '', index } of html.matchAll(MARKUP)) {
    text += unescaped(html.slice(end, index)) + raw;
    end = index + markup.length;
  }
  return text + unescaped(html.slice(end));
}

function attributesOf(tag: string): ReadonlyMap<string, string> {
  const found = tag.matchAll(/([^\s=/"'>]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map(Array.from(found, ([, name, a, b, bare]) => [name!, unescaped(a ?? b ?? bare ?? '')]));
}

/** All elements of a name, with their attributes and what is in them. They are in no other one of their name. */
const elementsOf = (html: string, name: string) =>
  Array.from(
    html.matchAll(new RegExp(`<${name}\\b(${INSIDE})>([^]*?)</${name}>`, 'gi')),
    ({ 1: tag, 2: inside, index }) => ({ attributes: attributesOf(tag!), inside: inside!, index }),
  );

function fieldsOf(html: string): PageField[] {
  return Array.from(html.matchAll(FIELDS), ([, input, ofInput, other, ofOther, inside]) => {
    const attributes = attributesOf(ofInput ?? ofOther ?? '');
    const type = input ? (attributes.get('type') ?? 'text') : other!.toLowerCase();
    return {
      id: attributes.get('id'),
      name: attributes.get('name') ?? '',
      type,
      value: fieldValue(type, attributes.get('value'), inside ?? ''),
      isChecked: attributes.has('checked'),
    };
  });
}

function fieldValue(type: string, value: string | undefined, inside: string): string {
  if (type === 'textarea') return contentOf(inside.replace(/^\n/, ''));
  if (type !== 'select') return value ?? (/^(checkbox|radio)$/.test(type) ? 'on' : '');
  const options = elementsOf(inside, 'option');
  const chosen = options.find(({ attributes }) => attributes.has('selected')) ?? options[0];
  return chosen?.attributes.get('value') ?? '';
}

/** The text of a page, with single spaces. */
export function textOf(page: string): string {
  const [, body = ''] = new RegExp(`<body\\b${INSIDE}>([^]*)</body>`, 'i').exec(page) ?? [];
  return contentOf(shown(body)).replace(/\s+/g, ' ').trim();
}

/** The first button with this text. */
export function buttonOf(page: string, text: string): PageButton | undefined {
  const html = shown(page);
  const button = elementsOf(html, 'button').find(({ inside }) => contentOf(inside) === text);
  if (!button) return undefined;
  const form = elementsOf(html, 'form').find(
    ({ index, inside }) => index < button.index && button.index < html.indexOf(inside, index) + inside.length,
  );
  return {
    name: button.attributes.get('name'),
    value: button.attributes.get('value'),
    form: form && { action: form.attributes.get('action') ?? '', fields: fieldsOf(form.inside) },
  };
}

/** The field with this label. */
export function fieldOf(page: string, label: string): PageField | undefined {
  const html = shown(page);
  const found = elementsOf(html, 'label').find(({ inside }) => contentOf(inside) === label);
  const id = found?.attributes.get('for');
  return id ? fieldsOf(html).find((field) => field.id === id) : undefined;
}

/** The names of a page's navigations. */
export const navigationsOf = (page: string): (string | null)[] =>
  elementsOf(page, 'nav').map(({ attributes }) => attributes.get('aria-label') ?? null);
