/**
 * The one widget that all components of a page share: there from the first that has a key, until the last has gone.
 * Kept at the window, so that it is one whichever framework's entry a component comes from.
 */

import { type GivenOptions, install, type Widget } from 'email-verify-widget';
import { MARK } from './input-options.ts';

/** What one component, or the page, has a share in the widget by. */
export interface Share {
  /** Says the options that hold for the whole page. What is said again as it was changes nothing. */
  give(options: GivenOptions): void;
  /** Gives the share back. The last one takes the widget along. */
  release(): void;
}

interface Said {
  value: unknown;
  /** Whose word it is; once that is released, the next who says otherwise may have it otherwise. */
  by: Share;
}

interface Shared {
  widget?: Widget | undefined;
  readonly shares: Map<Share, { isPages: boolean }>;
  readonly said: Map<string, Said>;
  readonly warned: Set<string>;
}

const SHARED = Symbol.for('email-verify-widget/components');
/** Where the widget itself says that it is there, from whichever script. */
const PRESENT = Symbol.for('email-verify-widget');
type Marked = { [SHARED]?: Shared | undefined; [PRESENT]?: Widget };

/**
 * Takes a share in the page's widget. Only in a browser.
 *
 * @param isPages whether what it says goes before what components say, and not only before what comes later
 */
export function shareWidget(isPages = false): Share {
  const page = window as Marked;
  page[SHARED] ??= { shares: new Map(), said: new Map(), warned: new Set() };
  const shared = page[SHARED];
  const share: Share = {
    give(options) {
      const news = adopt(shared, share, options);
      // Told of nothing new, the widget would still go over the whole page.
      if (Object.keys(news).length === 0) return;
      if (shared.widget) shared.widget.set(news);
      else if (page[PRESENT]) warnOfOwn(shared, Object.keys(news));
      // An empty key installs nothing. A widget that is there gets it as well, and goes to sleep.
      else if (shared.said.get('apiKey')?.value) {
        const said = [...shared.said].map(([name, { value }]) => [name, value]);
        shared.widget = install({ inputSelector: `input[${MARK}]`, ...Object.fromEntries(said) });
      }
    },
    release() {
      shared.shares.delete(share);
      // One view that goes and another that comes, or a strict mode that tries an effect twice, do so in one go:
      // what has been found out stays known. (The widget asks for no address twice, as long as it is there.)
      queueMicrotask(() => {
        if (shared.shares.size > 0 || page[SHARED] !== shared) return;
        page[SHARED] = undefined;
        shared.widget?.destroy();
      });
    },
  };
  shared.shares.set(share, { isPages });
  return share;
}

/** Takes what may be taken of the options, and warns of the rest. @returns what is new */
function adopt(shared: Shared, share: Share, options: GivenOptions): GivenOptions {
  const { said, shares } = shared;
  const isPages = (by: Share) => shares.get(by)?.isPages ?? false;
  const news: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    // As everywhere: what is undefined is not given.
    if (value === undefined) continue;
    const present = said.get(name);
    const isNews = !present || !isSame(present.value, value);
    const isContested = isNews && present && present.by !== share && shares.has(present.by);
    if (isContested && !(isKeyToCome(name, present.value) && !isPages(present.by))) {
      if (isKeyToCome(name, value) && !isPages(share)) continue;
      const wins = isPages(share) && !isPages(present.by);
      warn(
        shared,
        `option ${name}: Expected one value for the whole page, got two; the ${whose(wins)} holds.`,
      );
      if (!wins) continue;
    }
    if (!isNews && shares.has(present.by)) continue;
    said.set(name, { value, by: share });
    if (isNews) news[name] = value;
  }
  return news;
}

/** A component's empty key takes no other component's place: the page may still be loading its configuration. */
const isKeyToCome = (name: string, value: unknown) => name === 'apiKey' && value === '';

const whose = (isPages: boolean) => (isPages ? "page's" : 'first');

function warnOfOwn(shared: Shared, names: string[]) {
  warn(shared, `Expected one copy, got another: the page's own holds, and a component's ${names} does not.`);
}

function warn({ warned }: Shared, message: string) {
  if (warned.has(message)) return;
  warned.add(message);
  console.warn(`email-verify-widget: ${message}`);
}

/** Whether a value is what it was: options are often written anew at each rendering. A function has to be the same. */
const isSame = (one: unknown, other: unknown) =>
  Object.is(one, other) ||
  (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other));

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * Installs the widget for the whole page, for the components on it to share; what it says goes before what they say.
 * On a server it does nothing.
 *
 * @param options as for `install`, but that `inputSelector` is the components' inputs unless given
 * @returns what takes it back; the widget goes when no component uses it any more
 * @example
 * installEmailVerify({ apiKey: 'test_public_key', baseUrl: 'https://api.example' });
 */
export function installEmailVerify(options: GivenOptions): () => void {
  if (typeof document === 'undefined') return () => {};
  const share = shareWidget(true);
  share.give(options);
  return share.release;
}
