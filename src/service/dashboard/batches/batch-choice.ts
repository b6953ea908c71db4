/** Which batches the list shows, and in which order: the query of its page, and the form that chooses. */
import type { BatchFilter, BatchOrder, BatchState } from '../../batch/overview/batch-overview-store.ts';
import { isId } from '../../core/random-id.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { isDay, longDay } from '../charts/utc-days.ts';
import { optionsOf } from '../form-fields.ts';
import { BATCHES } from './batch-paths.ts';
import { STATE_WORDS } from './batch-words.ts';
import { isZone } from './zone-days.ts';

const ORDER_WORDS: Readonly<Record<BatchOrder, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name, A to Z',
  size: 'Largest first',
};

/** The time zone of days without scripts. */
const UTC = 'UTC';
/** As long as the name of a batch. */
const LONGEST_SEARCH = 200;

/** Missing fields do not filter. */
export interface BatchChoice extends Pick<BatchFilter, 'search' | 'state' | 'before'> {
  /** The day of its creation, and the time zone of that day. */
  readonly day?: string | undefined;
  readonly zone?: string | undefined;
  readonly order: BatchOrder;
  /** From 1, in the other orders than that of the newest, whose pages begin behind a batch. */
  readonly page: number;
}

/** @param value of the query. Values that nobody could have chosen are ignored. */
export function readChoice(value: (name: string) => string | undefined): BatchChoice {
  const keyOf = <Key extends string>(words: Readonly<Record<Key, string>>, name: string) =>
    (Object.keys(words) as Key[]).find((key) => key === value(name));
  // No name has a byte of 0, and the database takes none.
  const search = value('q')?.replaceAll('\0', '').trim().slice(0, LONGEST_SEARCH);
  const [day = '', zone = '', before] = [value('day'), value('zone'), value('before')];
  const hasDay = day.startsWith('20') && isDay(day);
  const order = keyOf(ORDER_WORDS, 'sort') ?? 'newest';
  return {
    search: search || undefined,
    state: keyOf<BatchState>(STATE_WORDS, 'state'),
    ...(hasDay && { day, zone: isZone(zone) ? zone : UTC }),
    order,
    before: order === 'newest' && isId(before) ? before : undefined,
    page: order !== 'newest' && /^[1-9]\d{0,4}$/.test(value('page') ?? '') ? Number(value('page')) : 1,
  };
}

export const isFiltered = ({ search, state, day }: BatchChoice): boolean =>
  search !== undefined || state !== undefined || day !== undefined;

/** The list with other choices. It begins with the first page, unless they say otherwise. */
export function choiceLink(site: Site, choice: Partial<BatchChoice>): string {
  const { search, state, day, zone, order, before, page = 1 } = choice;
  const query = new URLSearchParams({
    ...(search !== undefined && { q: search }),
    ...(state && { state }),
    ...(day !== undefined && { day }),
    ...(zone !== undefined && { zone }),
    ...(order && order !== 'newest' && { sort: order }),
    ...(before !== undefined && { before }),
    ...(page > 1 && { page: String(page) }),
  });
  return site.link(`${BATCHES}${query.size > 0 ? `?${query}` : ''}`);
}

/** What the list shows, for the title of the page. */
export const sayChoice = ({ search, state, day, order, before, page }: BatchChoice): (string | false)[] => [
  search !== undefined && `“${search}”`,
  state !== undefined && STATE_WORDS[state].toLowerCase(),
  day !== undefined && longDay(day),
  order !== 'newest' && ORDER_WORDS[order].toLowerCase(),
  before !== undefined && 'older',
  page > 1 && `page ${page}`,
];

/** For a first day, the script of the page sends the zone of the visitor. */
export function choiceForm(site: Site, { search, state, day, zone, order }: BatchChoice): Html {
  return html`<form class="filter" method="get" action="${site.link(BATCHES)}" role="search" aria-label="Find batches">
<div class="field"><label for="q">Name contains</label><input id="q" name="q" type="search" value="${search ?? ''}" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="state">State</label><select id="state" name="state">${optionsOf([['', 'Any state'], ...Object.entries(STATE_WORDS)], state)}</select></div>
<div class="field"><label for="day">Created on (<span id="day-zone">${zone ?? UTC}</span>)</label><input id="day" name="day" type="date" value="${day ?? ''}"><input type="hidden" name="zone" value="${zone ?? ''}"${zone === undefined && html` disabled`}></div>
<div class="field"><label for="sort">Order</label><select id="sort" name="sort">${optionsOf(Object.entries(ORDER_WORDS), order)}</select></div>
<button>Show</button></form>`;
}
