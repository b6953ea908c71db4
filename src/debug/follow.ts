/** The widget's own word on its options and commands: of the widget that is there, and of any that comes later. */
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
 * Puts methods in the place of an object's own.
 *
 * @returns gives those back, unless somebody replaced them again meanwhile
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
 * @param tell is called with what a widget knows when it comes, and with each command that it gets
 * @param meet is called with what the widget takes from the browser; returns a function that gives it back
 * @returns stops following; `tell` may still be called where another observer has begun meanwhile
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
        tell(
          isMonitored(input, widget.options())
            ? 'verify() called'
            : 'verify() called with what is not monitored',
        );
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
  // Another observer may wait here already.
  const before = Object.getOwnPropertyDescriptor(scope(), MARK);
  // The widget arrives here before it carries out the queue, and before install() sets its options.
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

/** A key is public, but nobody needs to read it over a shoulder. */
function shown(name: string, value: unknown): string {
  if (name === 'apiKey') return 'a key';
  if (typeof value === 'function') return 'a function';
  return value instanceof Element ? `<${value.localName}>` : JSON.stringify(value);
}
