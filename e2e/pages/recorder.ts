/**
 * Runs inside the page before any of its scripts: records what the widget lets a page see, without leaning on
 * anything that a hostile page may replace later. It is sent to the browser as text: no imports, no closures.
 */

/** One event of the widget's, as a page's listener would have seen it. */
export interface SeenEvent {
  readonly type: 'verifying' | 'verified' | 'error';
  /** The id, or else the name, of the input that it was fired on. */
  readonly on: string;
  readonly detail: unknown;
  readonly isCustomEvent: boolean;
  readonly bubbles: boolean;
  readonly composed: boolean;
  readonly cancelable: boolean;
  /** What the input held at that moment. */
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
  /** In ms of the page's clock. */
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
    recorded.fetchedAt[recorded.fetchedAt.length] = performance.now();
    return native.fetch.apply(window, parameters);
  };
}
