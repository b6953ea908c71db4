/** Follows the options and commands of the page's widget, and of any that is installed later. */
import type { Browser } from '../widget/browser.ts';
import { DEFAULTS, type GivenOptions, type Options } from '../widget/options.ts';
import { isMonitored } from '../widget/page.ts';
import type { Inside, Widget } from '../widget/widget.ts';

const MARK = Symbol.for('email-verify-widget');

type Present = Widget & Inside;
const scope = () => window as unknown as { [MARK]?: Present | undefined };

/** The current options of an input, or of the page if no input is given. Without a widget, the defaults. */
export const optionsOf = (input?: HTMLInputElement): Options => scope()[MARK]?.options(input) ?? DEFAULTS;

/**
 * Replaces methods of an object.
 *
 * @returns a function that restores them, except those that were replaced again meanwhile
 */
export function replaceMethods<T extends object>(target: T, methods: Partial<T>): () => void {
  const names = Object.keys(methods) as (keyof T)[];
  const own = { ...target };
  Object.assign(target, methods);
  return () => {
    for (const name of names) if (target[name] === methods[name]) target[name] = own[name];
  };
}

/**
 * @param tell called with the options of each widget, and with each command
 * @param meet called with the browser functions of each widget. It returns a function that restores them
 * @returns a function that stops following. `tell` may still be called if another observer has started meanwhile
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
    const takeOff = replaceMethods(widget, {
      set(given: GivenOptions) {
        for (const [name, value] of Object.entries(given ?? {})) {
          if (value !== undefined) tell(`option ${name} set to ${shown(name, value)}`);
        }
        set(given);
      },
      verify(input) {
        const isOurs = isMonitored(input, widget.options());
        tell(isOurs ? 'verify() called' : 'verify() called, but its argument is not a monitored input');
        return verify(input);
      },
      destroy() {
        tell('widget destroyed');
        destroy();
      },
    });
    leave = () => {
      takeOff();
      giveBack();
    };
  }

  if (present) follow(present);
  // Another observer may already wait for a widget.
  const before = Object.getOwnPropertyDescriptor(scope(), MARK);
  // The widget sets this property before it runs the queue, and before install() sets its options.
  const arrival = (widget: Present | undefined) => {
    present = widget;
    before?.set?.(widget);
    if (!widget) return;
    tell('widget installed');
    follow(widget);
  };
  Object.defineProperty(scope(), MARK, { configurable: true, get: () => present, set: arrival });

  return () => {
    leave?.();
    if (Object.getOwnPropertyDescriptor(scope(), MARK)?.set !== arrival) return;
    const property = before?.set ? before : { configurable: true, writable: true, value: present };
    Object.defineProperty(scope(), MARK, property);
  };
}

/** Shows a value. Keys are public, but screen sharing should not show them. */
function shown(name: string, value: unknown): string {
  if (name === 'apiKey') return 'a key';
  if (typeof value === 'function') return 'a function';
  return value instanceof Element ? `<${value.localName}>` : JSON.stringify(value);
}
