/**
 * Finds the tags of an XML text, so that a few of them are changed and all else stays as it was. Libraries that read XML
 * write all of it anew.
 */

/** The text is not XML, or has what no part of a workbook may have, such as a document type. */
export class NotXmlError extends Error {
  override readonly name = 'NotXmlError';
}

export interface Tag {
  /** Without its prefix. */
  readonly name: string;
  /** With its colon, or empty. */
  readonly prefix: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** Where it begins and ends in the text. */
  readonly from: number;
  readonly to: number;
  /** As they are written. */
  readonly attributes: string;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_.-]*';
/** Each part ends where the next one begins, so that it takes no longer than the text is long. */
const TAG = new RegExp(
  `<(/?)(${NAME}:)?(${NAME})((?:\\s+[^\\s=<>"'/]+\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
  'uy',
);

/** What is no tag, with its end. */
const OTHERS = Object.entries({ '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' });

/** @throws {NotXmlError} at the first thing that is not XML */
export function* tagsOf(xml: string): Generator<Tag> {
  for (let at = xml.indexOf('<'); at >= 0; ) {
    const other = OTHERS.find(([start]) => xml.startsWith(start, at));
    if (other) {
      const end = xml.indexOf(other[1], at + other[0].length);
      if (end < 0) throw new NotXmlError(`Expected ${other[1]}, got the end of the text.`);
      at = xml.indexOf('<', end);
      continue;
    }
    TAG.lastIndex = at;
    const found = TAG.exec(xml);
    if (!found) throw new NotXmlError('Expected a tag, got something else.');
    const [all, closes, prefix = '', name, attributes, isEmpty] = found;
    const to = at + all.length;
    const kind = closes === '/' ? 'close' : isEmpty === '/' ? 'empty' : 'open';
    yield { name: name!, prefix, kind, from: at, to, attributes: attributes! };
    at = xml.indexOf('<', to);
  }
}

const ATTRIBUTE = /([^\s=:]+:)?([^\s=:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The value of an attribute, whatever its prefix is. */
export function attributeOf({ attributes }: Pick<Tag, 'attributes'>, name: string): string | undefined {
  for (const [, , named, double, single] of attributes.matchAll(ATTRIBUTE))
    if (named === name) return decodeXml(double ?? single ?? '');
  return undefined;
}

/** The values of all attributes, as they are written. */
export const valuesOf = ({ attributes }: Pick<Tag, 'attributes'>): string[] =>
  [...attributes.matchAll(ATTRIBUTE)].map(([, , , double, single]) => double ?? single ?? '');

/** Writes a tag anew with other attributes, which have no prefix. One that is undefined is left out. */
export function withAttributes(
  { prefix, name, kind, attributes }: Tag,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const old = [...attributes.matchAll(ATTRIBUTE)].filter(
    ([, before, named]) => before !== undefined || !Object.hasOwn(changes, named!),
  );
  const added = Object.entries(changes).flatMap(([named, value]) =>
    value === undefined ? [] : [`${named}="${escapeXml(value)}"`],
  );
  const all = [...old.map(([written]) => written), ...added].map((written) => ` ${written}`).join('');
  return `<${prefix}${name}${all}${kind === 'empty' ? '/' : ''}>`;
}

/** What stands instead of a part of a text. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** @param edits in their order */
export function edited(text: string, edits: readonly Edit[]): string {
  let [done, result] = [0, ''];
  for (const { from, to, by } of edits) {
    result += text.slice(done, from) + by;
    done = to;
  }
  return result + text.slice(done);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export const decodeXml = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (all, decimal, hex, name) => {
        if (name !== undefined) return ENTITIES[name] ?? all;
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
        return code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A line end in an attribute is read as a space, and a carriage return in a text as a line end.
  '\r': '&#13;',
};

export const escapeXml = (text: string): string => text.replace(/[&<>"\r]/g, (mark) => MARKS[mark]!);
