/**
 * The widget that all components of a page share. The first component with a key installs it, and it is destroyed after
 * the last component. The window stores it, so that components of several frameworks share it too.
 */

import { type GivenOptions, install, type Widget } from 'email-verify-widget';
import { MARK } from './input-options.ts';

/** The share of one component, or of the page, in the widget. */
export interface Share {
  /** Sets options of the whole page. Equal values change nothing. */
  give(options: GivenOptions): void;
  /** Ends the share. With the last share, the widget is destroyed. */
  release(): void;
}

interface Said {
  value: unknown;
  /** The share that has set the value. After its release, another share may change the value. */
  by: Share;
}

interface Shared {
  widget?: Widget | undefined;
  readonly shares: Map<Share, { isPages: boolean }>;
  readonly said: Map<string, Said>;
  readonly warned: Set<string>;
}

const SHARED = Symbol.for('email-verify-widget/components');
/** The property under which the window has the page's widget, from any script (widget/only-one.ts). */
const PRESENT = Symbol.for('email-verify-widget');
type Marked = { [SHARED]?: Shared | undefined; [PRESENT]?: Widget };

/**
 * Makes a share in the page's widget. Call it only in a browser.
 *
 * @param isPages whether its options override those of components, also earlier ones
 */
export function shareWidget(isPages = false): Share {
  const page = window as Marked;
  page[SHARED] ??= { shares: new Map(), said: new Map(), warned: new Set() };
  const shared = page[SHARED];
  const share: Share = {
    give(options) {
      const news = adopt(shared, share, options);
      // Even an empty change would make the widget update the whole page.
      if (Object.keys(news).length === 0) return;
      if (shared.widget) shared.widget.set(news);
      else if (page[PRESENT]) warnOfOwn(shared, Object.keys(news));
      // An empty key installs no widget. It reaches an installed widget, which then stops.
      else if (shared.said.get('apiKey')?.value) {
        const said = [...shared.said].map(([name, { value }]) => [name, value]);
        shared.widget = install({ inputSelector: `input[${MARK}]`, ...Object.fromEntries(said) });
      }
    },
    release() {
      shared.shares.delete(share);
      // Frameworks replace a view, or run an effect twice in strict mode, within one task. The widget and the results
      // that it remembers survive this.
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

/** Takes the options that this share may set, and warns of the others. @returns the options that changed */
function adopt(shared: Shared, share: Share, options: GivenOptions): GivenOptions {
  const { said, shares } = shared;
  const isPages = (by: Share) => shares.get(by)?.isPages ?? false;
  const news: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    // `undefined` counts as not given, as in all options.
    if (value === undefined) continue;
    const present = said.get(name);
    const isNews = !present || !isSame(present.value, value);
    const isContested = isNews && present && present.by !== share && shares.has(present.by);
    if (isContested && !(isKeyToCome(name, present.value) && !isPages(present.by))) {
      if (isKeyToCome(name, value) && !isPages(share)) continue;
      const wins = isPages(share) && !isPages(present.by);
      warn(
        shared,
        `option ${name}: Expected one value for the whole page, got two. The ${whose(wins)} applies.`,
      );
      if (!wins) continue;
    }
    if (!isNews && shares.has(present.by)) continue;
    said.set(name, { value, by: share });
    if (isNews) news[name] = value;
  }
  return news;
}

/** A component's empty key causes no conflict: the page may still be loading its configuration. */
const isKeyToCome = (name: string, value: unknown) => name === 'apiKey' && value === '';

const whose = (isPages: boolean) => (isPages ? "page's" : 'first');

function warnOfOwn(shared: Shared, names: string[]) {
  warn(shared, `Expected one copy, got another. The page's own ignores a component's ${names}.`);
}

function warn({ warned }: Shared, message: string) {
  if (warned.has(message)) return;
  warned.add(message);
  console.warn(`email-verify-widget: ${message}`);
}

/** Whether two values are equal. Many renderings pass new, equal objects. Functions have to be identical. */
const isSame = (one: unknown, other: unknown) =>
  Object.is(one, other) ||
  (isObject(one) && isObject(other) && JSON.stringify(one) === JSON.stringify(other));

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * Installs the widget that all components of the page share. Its options override those of components. On a server it
 * does nothing.
 *
 * @param options as for `install`. By default, `inputSelector` matches only the inputs of components
 * @returns a function that ends this. The widget stays until the last component has unmounted
 * @example
 * installEmailVerify({ apiKey: 'test_public_key', baseUrl: 'https://api.example' });
 */
export function installEmailVerify(options: GivenOptions): () => void {
  if (typeof document === 'undefined') return () => {};
  const share = shareWidget(true);
  share.give(options);
  return share.release;
}
