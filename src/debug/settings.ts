/** The options that hold, followed from outside: what the script tag says, and every call after. */
import {
  attributeReadings,
  DEFAULTS,
  type GivenOptions,
  inKebabCase,
  type Options,
  OVERRIDABLE,
  readOption,
} from '../widget/options.ts';
import type { Widget } from '../widget/widget.ts';

const MARK = Symbol.for('email-verify-widget');

export interface Settings {
  /** Those of an input, its own and its form's included; without one, the page's. */
  of(input?: HTMLInputElement): Options;
  /** Whether the widget was there first: what was set before is not known then. */
  readonly isLate: boolean;
  stop(): void;
}

/** @param tell is called for each command that the widget gets */
export function followSettings(tell: (text: string) => void): Settings {
  const scope = window as unknown as { [MARK]?: Widget | undefined };
  let present = scope[MARK];
  const isLate = present !== undefined;
  let options: Options = { ...DEFAULTS, baseUrl: location.origin };

  /** The widget itself warns of what can't be used. */
  const assign = (name: string, readings: unknown[]) => {
    const value = readOption(name, readings, options, () => {});
    if (value !== undefined) options = { ...options, [name]: value };
  };

  function fromTag(script: HTMLScriptElement | null): void {
    if (script?.src) assign('baseUrl', [new URL(script.src).origin]);
    for (const [name, text] of Object.entries(script?.dataset ?? {}))
      assign(name, attributeReadings(text ?? ''));
  }

  function follow(widget: Widget): void {
    const { set, verify } = widget;
    widget.set = (given: GivenOptions) => {
      for (const [name, value] of Object.entries(given ?? {})) {
        if (value !== undefined) assign(name, [value]);
        // A key is public, and still nobody's to read over a shoulder.
        tell(name === 'apiKey' ? 'option apiKey set' : `option ${name} set to ${shown(value)}`);
      }
      set(given);
    };
    widget.verify = (input) => {
      tell('verify() called');
      return verify(input);
    };
  }

  if (present) {
    fromTag(document.querySelector('script[data-api-key]'));
    follow(present);
  }
  // The widget says here that it has come: before the queue is carried out, and before install() sets its options.
  Object.defineProperty(scope, MARK, {
    configurable: true,
    get: () => present,
    set(widget: Widget | undefined) {
      present = widget;
      tell(widget ? 'widget installed' : 'widget destroyed');
      if (!widget) return;
      fromTag(document.currentScript as HTMLScriptElement | null);
      follow(widget);
    },
  });

  const override = (base: Options, element: Element | null): Options => {
    let own = base;
    for (const name of OVERRIDABLE) {
      const text = element?.getAttribute(`data-email-verify-${inKebabCase(name)}`) ?? undefined;
      const value = text === undefined ? undefined : readOption(name, attributeReadings(text), own, () => {});
      if (value !== undefined) own = { ...own, [name]: value };
    }
    return own;
  };

  return {
    isLate,
    of: (input) => (input ? override(override(options, input.form), input) : options),
    stop() {
      Object.defineProperty(scope, MARK, { configurable: true, writable: true, value: present });
    },
  };
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return value instanceof Element ? `<${value.localName}>` : JSON.stringify(value);
}
