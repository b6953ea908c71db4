/** The filter and order of a batch's results: reads them from a query, and writes them into one. */
import { REASONS, type Reason, STATES, type State } from '../../../protocol/result.ts';
import { STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';

/** The attributes to filter by, in addition to state and reason, with their names. */
export const ATTRIBUTES = {
  disposable: 'disposable',
  free: 'free provider',
  role: 'role address',
  accept_all: 'accept-all server',
  no_reply: 'no-reply address',
  mailbox_full: 'mailbox full',
  did_you_mean: 'with a suggestion',
  duplicate: 'more than once in the list',
} as const;
export type Attribute = keyof typeof ATTRIBUTES;

export const SORTS = {
  place: 'As in the list',
  address: 'Address, A to Z',
  domain: 'Domain, A to Z',
  state: 'State',
  score: 'Score, lowest first',
  '-score': 'Score, highest first',
} as const;
export type Sort = keyof typeof SORTS;

/** Missing fields do not filter. */
export interface ResultFilter {
  /** One of these. Empty for all. */
  readonly states: readonly State[];
  readonly reason?: Reason | undefined;
  readonly attribute?: Attribute | undefined;
  /** A part of the address, in upper or lower case. */
  readonly search?: string | undefined;
}

/** Longer than any address. */
const LONGEST_SEARCH = 320;

/** The values of a query, by their names. */
export type Values = (name: string) => readonly string[];

/** Invalid values are ignored, and the page shows the remaining filter. */
export function readFilter(values: Values): ResultFilter {
  const search = values('q')[0]?.trim().slice(0, LONGEST_SEARCH);
  return {
    states: STATES.filter((state) => values('state').includes(state)),
    reason: REASONS.find((reason) => reason === values('reason')[0]),
    attribute: keyOf(ATTRIBUTES, values('with')[0]),
    ...(search && { search }),
  };
}

export const readSort = (values: Values): Sort => keyOf(SORTS, values('sort')[0]) ?? 'place';

const keyOf = <Key extends string>(table: Readonly<Record<Key, string>>, text: string | undefined) =>
  (Object.keys(table) as Key[]).find((key) => key === text);

export function isEmpty({ states, reason, attribute, search }: ResultFilter): boolean {
  return states.length === 0 && !reason && !attribute && !search;
}

/** The inverse of `readFilter`. */
export function toQuery({ states, reason, attribute, search }: ResultFilter): [string, string][] {
  const query = states.map((state): [string, string] => ['state', state]);
  if (reason) query.push(['reason', reason]);
  if (attribute) query.push(['with', attribute]);
  if (search) query.push(['q', search]);
  return query;
}

/** The reasons that a result may have. Undefined for any. */
export function reasonsOf({ states, reason }: ResultFilter): readonly Reason[] | undefined {
  if (states.length === 0 && !reason) return undefined;
  return REASONS.filter(
    (one) => (!reason || one === reason) && (states.length === 0 || states.includes(STATE_OF_REASON[one])),
  );
}

/** One phrase for each rule, such as `state deliverable or risky`. @param titles the reasons in words */
export function sayFilter(
  { states, reason, attribute, search }: ResultFilter,
  titles: Readonly<Record<Reason, string>>,
): string[] {
  return [
    ...(states.length > 0 ? [`state ${states.join(' or ')}`] : []),
    ...(reason ? [`reason “${titles[reason]}”`] : []),
    ...(attribute ? [ATTRIBUTES[attribute]] : []),
    ...(search ? [`address contains “${search}”`] : []),
  ];
}
