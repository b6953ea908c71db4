/**
 * Searches texts regardless of case. PostgreSQL's rules of case depend on its locale, so only the ASCII part of both
 * sides is compared. That finds every match and a few others, which the caller filters out.
 */
import { type RawBuilder, sql } from 'kysely';

/** Letters beyond ASCII that JavaScript's `toLowerCase()` turns into ASCII letters: the Kelvin sign, and a dotted I. */
const FOLDED = { from: '\u212a\u0130', to: 'ki' };

/** The same for a column or another expression. */
export const asciiOf = (text: RawBuilder<string>): RawBuilder<string> => sql<string>`case
  -- Most texts are ASCII, and a regular expression takes ten times as long.
  when octet_length(${text}) = length(${text}) then lower(${text} collate "C")
  else lower(regexp_replace(translate(${text}, ${FOLDED.from}, ${FOLDED.to}), '[^\\u0001-\\u007f]', '', 'g') collate "C")
end`;

/** The ASCII part of a text in JSON, in lower case and without quotes. */
export function asciiInJson(text: string): string {
  const json = JSON.stringify(text).slice(1, -1);
  return json.toLowerCase().replace(/\P{ASCII}/gu, '');
}

/** Whether a column or another expression contains one of the texts, in the form of `asciiOf()`. */
export const holdsOneOf = (
  text: RawBuilder<string>,
  wanted: readonly string[],
): RawBuilder<boolean> => sql<boolean>`(
  select ${sql.join(
    wanted.map((one) => sql`position(${one} in one.ascii) > 0`),
    sql` or `,
  )} from (
    -- Without "offset 0", the planner computes a text again for each use.
    select ${asciiOf(sql<string>`given.text`)} as ascii from (select ${text} as text offset 0) as given offset 0
  ) as one
)`;
