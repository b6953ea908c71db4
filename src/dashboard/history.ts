/**
 * The single verifications of a tab: `data-verified` is an address with a result, in a link to it or on its page. The list
 * is in the storage of the tab, which ends with it. Each person in the same tab has an own list, which all accounts of the
 * person share.
 */
import { make } from './make.ts';
import { tellLocalTimes } from './times.ts';

const MOST = 50;

interface Entry {
  readonly address: string;
  readonly state: string;
  readonly link: string;
  /** When it was seen, as ISO 8601. */
  readonly at: string;
}

/** Adds the results of the page, and shows the list where the page has a place for it. */
export function keepHistory(): void {
  const account = document.querySelector('.person .who')?.textContent;
  if (!account) return;
  add(`verified: ${account}`);
  // A result that comes later.
  document.addEventListener('renewed', () => add(`verified: ${account}`));
  show(read(`verified: ${account}`));
}

function add(key: string): void {
  const found = [...document.querySelectorAll<HTMLElement>('[data-verified]')].map((element): Entry => {
    const { verified: address = '', state = '' } = element.dataset;
    const link = element instanceof HTMLAnchorElement ? element.href : location.href;
    return { address, state, link, at: new Date().toISOString() };
  });
  if (found.length === 0) return;
  const isNew = ({ address, state }: Entry) =>
    !found.some((other) => other.address === address && other.state === state);
  try {
    const kept = [...found, ...read(key).filter(isNew)].slice(0, MOST);
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage is blocked: there is no list.
  }
}

function read(key: string): Entry[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]') as Entry[];
  } catch {
    return [];
  }
}

function show(entries: readonly Entry[]): void {
  const place = document.getElementById('history');
  if (!place || entries.length === 0) return;
  const list = make('ul', { className: 'plain' });
  for (const { address, state, link, at } of entries) {
    const item = document.createElement('li');
    const anchor = make('a', { href: link });
    anchor.append(make('bdi', { textContent: address }));
    const word = make('span', { className: `state ${state}`, textContent: state });
    const time = make('time', { dateTime: at, className: 'note' });
    item.append(anchor, ' ', word, ' ', time);
    list.append(item);
  }
  place.append(list);
  place.hidden = false;
  tellLocalTimes(place);
}
