/** A survey as text: a table, the replies, and what has changed. */
import { type Change, sayName, sayTrait } from './compare-surveys.ts';
import type { Row } from './run-survey.ts';

const HEADS = [
  ...['domain', 'provider', 'known name', 'unknown name', 'full', 'accept-all', 'greylist', 'STARTTLS'],
  'date',
];

export function showSurvey(rows: readonly Row[], changes: readonly Change[] | undefined): string {
  const table = rows.map((row) => [
    ...[row.domain, row.provider ?? '-'],
    ...[row.known, row.unknown, row.full].map((said) => sayName(said) ?? '-'),
    ...[row.accept_all, row.greylist, row.starttls].map(sayTrait),
    row.date,
  ]);
  const replies = rows.flatMap(({ domain, known, unknown, full }) =>
    Object.entries({ known, unknown, full }).flatMap(([name, said]) =>
      said?.reply == null ? [] : [[domain, name, said.reply]],
    ),
  );
  const parts = [align([HEADS, ...table]), align(replies), ...(changes ? [showChanges(changes)] : [])];
  // Text from mail servers could control the terminal.
  return parts.map((lines) => lines.map((line) => `${line.replace(/\p{Cc}+/gu, ' ')}\n`).join('')).join('\n');
}

function showChanges(changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return ['Nothing has changed.'];
  return changes.map(
    ({ domain, what, was, is }) => `${domain}  ${what}: was ${was ?? 'not asked'}, is ${is ?? 'not asked'}`,
  );
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
