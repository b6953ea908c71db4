/** Writes figures as text, with their targets. */
import type { Machine } from './machine.ts';
import type { Spread } from './statistics.ts';

/** The target of a figure, and whether it is met. */
export interface Target {
  readonly text: string;
  readonly found: string;
  readonly isMet: boolean;
  /** Computed from the measured values. */
  readonly because?: string | undefined;
}

export interface Figure {
  readonly title: string;
  /** What is measured, and how. */
  readonly how: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly Target[];
  /** Notes, such as why a cell is empty. */
  readonly notes?: readonly string[] | undefined;
}

export interface Part {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** The text of a cell without a measurement. The notes below the table say why. */
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

/** Whether every target is met. */
export const isAllMet = (parts: readonly Part[]): boolean =>
  parts.every(({ figures }) => figures.every(({ targets }) => targets.every(({ isMet }) => isMet)));

/** A line for each target. It begins with whether the target is met. */
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

/** A Markdown table that is readable as text. */
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

/** The median with the spread. */
export function withSpread({ median, low, high }: Spread, unit = ''): string {
  if (!Number.isFinite(median)) return NONE;
  const suffix = unit && ` ${unit}`;
  return `${round(median)}${suffix} (${round(low)}–${round(high)})`;
}

export function times({ median }: Pick<Spread, 'median'>): string {
  return Number.isFinite(median) ? `${round(median)} ×` : NONE;
}

/** Rounds to three digits, which is enough for the spread. All digits before the point are kept. */
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
