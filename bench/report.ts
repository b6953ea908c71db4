/** Figures as text: what was found, beside what it is held to. */
import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

/** What a figure is held to, and whether it holds. */
export interface Target {
  readonly text: string;
  readonly found: string;
  readonly isMet: boolean;
  /** Made of what was measured, so that it is as true as the figure. */
  readonly because?: string | undefined;
}

export interface Figure {
  readonly title: string;
  /** What exactly is measured, and with what. */
  readonly how: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly Target[];
  /** Why a cell is empty, and what else there is to know. */
  readonly notes?: readonly string[] | undefined;
}

export interface Part {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** In a cell: there is nothing to measure; the notes below the table say why. */
export const NONE = '–';

export function report(parts: readonly Part[], machine: Machine, how: readonly string[]): string {
  const figures = parts.flatMap((part) => part.figures);
  return [
    '# Benchmark',
    ...(machine.warning ? [`**${machine.warning}**`] : []),
    table(['Measured on', ''], machine.description),
    ...how,
    '## Targets',
    table(
      ['figure', 'found', 'target', ''],
      figures.flatMap(({ title, targets }) =>
        targets.map(({ text, found, isMet, because }) => [
          title,
          found,
          text,
          isMet ? 'met' : `**missed**${because ? `, because ${because}` : ''}`,
        ]),
      ),
    ),
    ...parts.flatMap((part) => [`## ${part.title}`, ...part.figures.map(section)]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** A line for each target, which says first of all whether it is met. */
export function verdicts(parts: readonly Part[]): string {
  return parts
    .flatMap(({ figures }) => figures)
    .flatMap(({ title, targets }) =>
      targets.map(
        ({ text, found, isMet }) => `${isMet ? 'met   ' : 'MISSED'}  ${title}: ${text}; found ${found}`,
      ),
    )
    .join('\n');
}

function section({ title, how, head, rows, notes = [] }: Figure): string {
  return [
    `### ${title}`,
    how,
    table(head, rows),
    ...(notes.length ? [notes.map((note) => `- ${note}`).join('\n')] : []),
  ].join('\n\n');
}

/** A table in Markdown that can be read as it stands. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => head.map((_, column) => escapeBars(row[column] ?? '')));
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  const [titles, ...body] = all;
  return [line(titles!), line(rule), ...body.map(line)].join('\n');
}

const escapeBars = (cell: string) => cell.replaceAll('|', '\\|');

/** The middle value, and how far the others lie from it. */
export function withSpread({ median, low, high }: Spread, unit = ''): string {
  if (!Number.isFinite(median)) return NONE;
  const suffix = unit && ` ${unit}`;
  return `${round(median)}${suffix} (${round(low)}–${round(high)})`;
}

export function times({ median }: Pick<Spread, 'median'>): string {
  return Number.isFinite(median) ? `${round(median)} ×` : NONE;
}

/** Three digits are more than the spread bears out anyway; all those before the point are kept. */
export function round(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? '0' : text;
}

export function bytes(count: number): string {
  if (!Number.isFinite(count)) return NONE;
  return `${Math.round(count).toLocaleString('en')} B`;
}
