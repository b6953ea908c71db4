/** Compares a survey with an earlier one. */
import { UsageError } from '../../../service/core/usage-error.ts';
import type { Row, Said } from './run-survey.ts';

export interface Change {
  readonly domain: string;
  /** The column. */
  readonly what: string;
  readonly was: string | null;
  readonly is: string | null;
}

const NAMES = ['known', 'unknown', 'full'] as const;
const TRAITS = ['accept_all', 'greylist', 'starttls'] as const;

/** @throws {UsageError} if the text is not the JSON of a survey */
export function readSurvey(text: string): readonly Row[] {
  const fault = new UsageError(
    'Expected the JSON of an earlier survey in --against, got something else. Make one with --json.',
  );
  let value: { readonly providers?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw fault;
  }
  const rows = value?.providers;
  if (!Array.isArray(rows) || !rows.every(isRow)) throw fault;
  return rows;
}

const isRow = (row: unknown): row is Row =>
  typeof (row as Row)?.domain === 'string' &&
  NAMES.every((name) => ['object', 'undefined'].includes(typeof (row as Row)[name]));

/** The texts of replies have numbers that differ each time, so only outcomes and codes count. */
export function compareSurveys(before: readonly Row[], now: readonly Row[]): readonly Change[] {
  const domains = new Set([...before, ...now].map(({ domain }) => domain));
  return [...domains].flatMap((domain) => {
    const find = (rows: readonly Row[]) => cellsOf(rows.find((row) => row.domain === domain));
    const [was, is] = [find(before), find(now)];
    return [...NAMES, ...TRAITS]
      .map((what) => ({ domain, what, was: was[what] ?? null, is: is[what] ?? null }))
      .filter((change) => change.was !== change.is);
  });
}

function cellsOf(row: Row | undefined): Readonly<Record<string, string | null>> {
  if (!row) return {};
  return Object.fromEntries([
    ...NAMES.map((name) => [name, sayName(row[name])]),
    ...TRAITS.map((name) => [name, sayTrait(row[name])]),
  ]);
}

/** `accepted (250)`, or null if it was not asked. */
export const sayName = (said: Said | null): string | null =>
  said && (said.code === null ? said.outcome : `${said.outcome} (${said.code})`);

/** `yes`, `no` or `unclear`. */
export const sayTrait = (value: boolean | null): string =>
  value === null ? 'unclear' : value ? 'yes' : 'no';
