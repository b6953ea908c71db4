/** Reads the part of the ledger that a page's query selects. Invalid values count as missing. */
import type { FastifyRequest } from 'fastify';
import type { Selection } from '../../credits/history/ledger-store.ts';
import { queryParameters } from '../../http/parameters.ts';
import { isDay } from '../charts/utc-days.ts';
import { readKind } from './ledger-words.ts';

export interface Wanted extends Selection {
  /** Whether to show single changes instead of days. */
  readonly isByRow: boolean;
  /** Rows with a lower id only. */
  readonly beforeRow: number | undefined;
  /** Earlier days only. */
  readonly beforeDay: string | undefined;
}

export function readSelection(request: FastifyRequest): Wanted {
  const query = queryParameters(request);
  const text = (name: string) => query.get(name)?.[0]?.toString() ?? '';
  const day = dayIn(text('day'));
  const before = text('before');
  return {
    day,
    month: day === undefined && dayIn(`${text('month')}-01`) !== undefined ? text('month') : undefined,
    why: readKind(text('why')),
    isByRow: day !== undefined || text('view') === 'rows',
    beforeRow: /^[1-9]\d{0,15}$/.test(before) ? Number(before) : undefined,
    beforeDay: dayIn(before),
  };
}

const dayIn = (text: string): string | undefined => (/^(19|20)/.test(text) && isDay(text) ? text : undefined);

/** The query of a URL, without missing values. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
