/** The parts of a workbook and what refers to them (ECMA-376, part 2: Open Packaging Conventions). */
import { posix } from 'node:path';
import { attributeOf, tagsOf } from '../../files/xml-tags.ts';

export const CONTENT_TYPES = '[Content_Types].xml';
export const ROOT_RELATIONS = '_rels/.rels';

export interface Relation {
  readonly id: string;
  /** The last part of its type, such as `worksheet`. The rest differs between the two forms of the standard. */
  readonly type: string;
  /** The name of the part. Undefined if it is outside the file. */
  readonly part: string | undefined;
}

/** The name of the part with the relations of another part. */
export const relationsPartOf = (part: string): string =>
  posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);

/** @param part the one that has the relations. Empty for the whole file */
export function relationsOf(xml: string, part: string): Relation[] {
  return [...tagsOf(xml)]
    .filter(({ name, kind }) => name === 'Relationship' && kind !== 'close')
    .map((tag) => {
      const target = attributeOf(tag, 'Target') ?? '';
      const isOutside = attributeOf(tag, 'TargetMode') === 'External';
      return {
        id: attributeOf(tag, 'Id') ?? '',
        type: posix.basename(attributeOf(tag, 'Type') ?? ''),
        part: isOutside ? undefined : resolvePart(part, target),
      };
    });
}

/** Names of parts do not begin with a slash here, as in the ZIP file. */
const resolvePart = (from: string, target: string): string =>
  posix.resolve('/', posix.dirname(from), target).slice(1);

/** Names of parts are equal regardless of case (section 6.2.2.3). */
export const nameOfPart = (name: string): string => name.replace(/^\//, '').toLowerCase();
