/**
 * Runs inside the page before its scripts, and records what a page can see of the widget. It does not use anything that a
 * hostile page may replace later. The browser gets it as text, so it has no imports and no closures.
 */

/** One event of the widget, as a listener of the page sees it. */
export interface SeenEvent {
  readonly type: 'verifying' | 'verified' | 'error';
  /** The id of the input, or else its name. */
  readonly on: string;
  readonly detail: unknown;
  readonly isCustomEvent: boolean;
  readonly bubbles: boolean;
  readonly composed: boolean;
  readonly cancelable: boolean;
  /** The input's value at that moment. */
  readonly value: string;
}

export interface Recorded {
  readonly events: SeenEvent[];
  /** The page's own `submit` events, as a listener on the document sees them. */
  readonly submits: { form: string; submitter: string; prevented: boolean }[];
  readonly violations: string[];
  readonly shifts: number[];
  readonly listeners: { target: string; type: string }[];
  readonly fetch: typeof fetch;
  /** The time in milliseconds of the page's clock. */
  readonly fetchedAt: number[];
}

declare global {
  interface Window {
    readonly e2e: Recorded;
  }
}

export function recordInPage(): void {
  const native = {
    fetch: window.fetch,
    addEventListener: EventTarget.prototype.addEventListener,
    structuredClone: window.structuredClone.bind(window),
    customEvent: window.CustomEvent,
  };
  const recorded: Recorded = {
    events: [],
    submits: [],
    violations: [],
    shifts: [],
    listeners: [],
    fetch: native.fetch.bind(window),
    fetchedAt: [],
  };
  Object.defineProperty(window, 'e2e', { value: recorded });

  for (const type of ['verifying', 'verified', 'error'] as const) {
    native.addEventListener.call(
      window,
      type,
      (event) => {
        const input = event.composedPath()[0];
        if (!(input instanceof HTMLInputElement)) return;
        recorded.events[recorded.events.length] = {
          type,
          on: input.id || input.name,
          detail: native.structuredClone((event as CustomEvent).detail),
          isCustomEvent: event instanceof native.customEvent,
          bubbles: event.bubbles,
          composed: event.composed,
          cancelable: event.cancelable,
          value: input.value,
        };
      },
      true,
    );
  }
  native.addEventListener.call(document, 'submit', (event) => {
    const submitter = (event as SubmitEvent).submitter;
    recorded.submits[recorded.submits.length] = {
      form: (event.target as Element).id,
      submitter: submitter?.id ?? '',
      prevented: event.defaultPrevented,
    };
  });
  native.addEventListener.call(document, 'securitypolicyviolation', (event) => {
    const { violatedDirective, blockedURI, sample } = event as SecurityPolicyViolationEvent;
    recorded.violations[recorded.violations.length] = `${violatedDirective} ${blockedURI} ${sample}`;
  });
  if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        recorded.shifts[recorded.shifts.length] = (entry as PerformanceEntry & { value: number }).value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  }
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...parameters: unknown[]) {
    const target = this ?? window;
    recorded.listeners[recorded.listeners.length] = {
      target: target instanceof Node ? target.nodeName.toLowerCase() : (target.constructor?.name ?? 'window'),
      type: String(parameters[0]),
    };
    return native.addEventListener.apply(this, parameters as Parameters<EventTarget['addEventListener']>);
  };
  window.fetch = function (this: unknown, ...parameters: Parameters<typeof fetch>) {
    // biome-ignore lint/plugin: the clock of the page, which tests move themselves.
    recorded.fetchedAt[recorded.fetchedAt.length] = performance.now();
    return native.fetch.apply(window, parameters);
  };
}
