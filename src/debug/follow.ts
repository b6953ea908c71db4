/** The widget's own word on its options, and what it is told: of the one that is there, and of any that comes. */
import type { Browser } from '../widget/browser.ts';
import { DEFAULTS, type GivenOptions, type Options } from '../widget/options.ts';
import { isMonitored } from '../widget/page.ts';
import type { Inside, Widget } from '../widget/widget.ts';

const MARK = Symbol.for('email-verify-widget');

type Present = Widget & Inside;
const scope = () => window as unknown as { [MARK]?: Present | undefined };

/** The options that hold for an input; without one, the page's; without a widget, the defaults. */
export const optionsOf = (input?: HTMLInputElement): Options => scope()[MARK]?.options(input) ?? DEFAULTS;

/**
 * @param tell is called when a widget comes, with what it knows then, and for each command that it gets
 * @param meet is given what the widget takes from the browser, `fetch` among it; returns what gives it back
 * @returns stops following
 */
export function followWidgets(
  tell: (text: string) => void,
  meet: (browser: Browser) => () => void,
): () => void {
  let present = scope()[MARK];
  let leave: (() => void) | undefined;

  function follow(widget: Present): void {
    const { set, verify, destroy } = widget;
    const giveBack = meet(widget.own);
    for (const [name, value] of Object.entries(widget.options())) {
      if (JSON.stringify(value) !== JSON.stringify(DEFAULTS[name as keyof Options]))
        tell(`option ${name} is ${shown(name, value)}`);
    }
    widget.set = (given: GivenOptions) => {
      for (const [name, value] of Object.entries(given ?? {})) {
        if (value !== undefined) tell(`option ${name} set to ${shown(name, value)}`);
      }
      set(given);
    };
    widget.verify = (input) => {
      tell(
        isMonitored(input, widget.options())
          ? 'verify() called'
          : 'verify() called with what is not monitored',
      );
      return verify(input);
    };
    widget.destroy = () => {
      tell('widget destroyed');
      destroy();
    };
    leave = () => {
      Object.assign(widget, { set, verify, destroy });
      giveBack();
    };
  }

  if (present) follow(present);
  // The widget says here that it has come: before the queue is carried out, and before install() sets its options.
  Object.defineProperty(scope(), MARK, {
    configurable: true,
    get: () => present,
    set(widget: Present | undefined) {
      present = widget;
      if (!widget) return;
      tell('widget installed');
      follow(widget);
    },
  });

  return () => {
    leave?.();
    Object.defineProperty(scope(), MARK, { configurable: true, writable: true, value: present });
  };
}

/** A key is public, and still nobody's to read over a shoulder. */
function shown(name: string, value: unknown): string {
  if (name === 'apiKey') return 'a key';
  if (typeof value === 'function') return 'a function';
  return value instanceof Element ? `<${value.localName}>` : JSON.stringify(value);
}
