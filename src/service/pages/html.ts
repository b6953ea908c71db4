/**
 * HTML that escapes every text by default. Only values made by `html` itself are inserted unescaped. A text may stand
 * between tags or in a quoted attribute. Elsewhere escaping would not help, so `html` throws.
 */

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that `html` has made. */
export class Html {
  readonly #text: string;

  constructor(strings: TemplateStringsArray, values: readonly Value[]) {
    const places = placesOf(strings);
    const texts = values.map((value, index) => {
      if (!places[index] && isText(value))
        throw new Error(
          `Expected text between tags or in a quoted attribute, got some after ${strings[index]}`,
        );
      return render(value);
    });
    this.#text = String.raw({ raw: strings }, ...texts);
  }

  toString(): string {
    return this.#text;
  }
}

/** The values of a template. `undefined` and `false` render as nothing. */
export type Value = string | number | Html | undefined | false | readonly Value[];

export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(strings, values);

function render(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (mark) => MARKS[mark]!);
}

const isText = (value: Value): boolean =>
  Array.isArray(value) ? value.some(isText) : typeof value === 'string' || typeof value === 'number';

const known = new WeakMap<TemplateStringsArray, readonly boolean[]>();

/** Whether text is safe at each place of a template. Each template is checked once. */
function placesOf(strings: TemplateStringsArray): readonly boolean[] {
  const places = known.get(strings) ?? strings.slice(0, -1).map((_, index) => isSafeAfter(strings, index));
  known.set(strings, places);
  return places;
}

function isSafeAfter(strings: TemplateStringsArray, index: number): boolean {
  const before = strings.slice(0, index + 1).join('');
  // The content of these elements follows other rules.
  if (/<(script|style)\b[^>]*>(?!.*<\/)/is.test(before)) return false;
  const start = before.lastIndexOf('<');
  const tag = start < 0 ? before : before.slice(start);
  const isInTag = start < 0 ? /=\s*$/.test(tag) : !tag.includes('>');
  const isQuoted = tag.split('"').length % 2 === 0;
  return !isInTag || isQuoted;
}
