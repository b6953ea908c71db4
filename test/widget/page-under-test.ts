/**
 * A page with the widget installed in it, what a visitor does there, and what can be observed. Everything happens
 * on vitest's fake timers: time passes when a test says so.
 *
 * What happy-dom lacks and the widget asks for is put in its place by hand below, as little as will do; what needs a
 * browser (native validation, focus, Enter, held submissions, layout) is proven in e2e/.
 */
import { expect, type MockInstance, onTestFinished, vi } from 'vitest';
// At once, so that each test sees the status without a wait.
import '../../src/widget/face/index.ts';
import { type GivenOptions, install, type VerifiedDetail, type Widget } from '../../src/widget/index.ts';
import { resultOf, type ScriptedFetch, scriptFetch, settle } from './scripted-fetch.ts';

export const JOE = 'joe@shop.example';
export const ANN = 'ann@shop.example';

export interface PageEvent {
  readonly type: string;
  readonly detail: unknown;
  readonly event: CustomEvent;
}

export interface PageUnderTest {
  readonly widget: Widget;
  readonly service: ScriptedFetch;
  /** What was said to the developer. */
  readonly warn: MockInstance<typeof console.warn>;
  /** The one input, or the one that the selector finds; throws when there is none. */
  input(selector?: string): HTMLInputElement;
  form(selector?: string): HTMLFormElement;
}

const standInFor = (target: object, name: string, value: unknown) => {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
  onTestFinished(() => {
    if (before) Object.defineProperty(target, name, before);
    else delete (target as Record<string, unknown>)[name];
  });
};

/** Everything is on the screen, at the same place, except what is `hidden`. */
function standIns() {
  const rect = { x: 0, y: 0, left: 0, top: 0, right: 100, bottom: 20, width: 100, height: 20 };
  const rectsOf = (element: Element) => (element.isConnected && !element.closest('[hidden]') ? [rect] : []);
  standInFor(Element.prototype, 'getClientRects', function (this: Element) {
    return rectsOf(this);
  });
  standInFor(Element.prototype, 'checkVisibility', function (this: Element) {
    return rectsOf(this).length > 0;
  });
  standInFor(Element.prototype, 'getBoundingClientRect', function (this: Element) {
    return rectsOf(this)[0] ?? { ...rect, right: 0, bottom: 0, width: 0, height: 0 };
  });
  // No frames: where the status floats is seen in a browser.
  standInFor(window, 'requestAnimationFrame', () => 0);
  standInFor(window, 'cancelAnimationFrame', () => {});
  standInFor(
    window,
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
}

/** A page without the widget. */
export function openPage(html: string): Omit<PageUnderTest, 'widget'> {
  vi.useFakeTimers();
  standIns();
  document.body.innerHTML = html;
  const service = scriptFetch();
  vi.stubGlobal('fetch', service.fetch);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => {
    document.body.innerHTML = '';
    vi.useRealTimers();
  });
  const find = <E extends Element>(selector: string): E => {
    const found = document.querySelector<E>(selector);
    if (!found) throw new Error(`There is no ${selector} in the page.`);
    return found;
  };
  return {
    service,
    warn,
    input: (selector = 'input') => find<HTMLInputElement>(selector),
    form: (selector = 'form') => find<HTMLFormElement>(selector),
  };
}

/** A page with the widget, asleep: nothing has concerned it yet. */
export function installAsleep(html: string, options: GivenOptions = {}): PageUnderTest {
  const page = openPage(html);
  const widget = install({ apiKey: 'test_public', baseUrl: 'https://api.example', ...options });
  onTestFinished(() => widget.destroy());
  return { ...page, widget };
}

/** A page with the widget, awake: it wakes by itself after a quarter of a second. */
export function installIn(html: string, options: GivenOptions = {}): PageUnderTest {
  const page = installAsleep(html, options);
  vi.advanceTimersByTime(250);
  return page;
}

export const FORM = '<form name="signup"><input type="email" name="email"><button>Go</button></form>';

// What a visitor does

export function enter(input: HTMLElement): void {
  input.dispatchEvent(new FocusEvent('focus', { composed: true }));
  input.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
  // What may come right after the event itself.
  vi.advanceTimersByTime(0);
}

/** Types over whatever is there. */
export function type(input: HTMLInputElement, value: string): void {
  enter(input);
  input.value = value;
  input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}

/** Leaves a field that was changed. */
export function leave(input: HTMLInputElement, { changed = true } = {}): void {
  if (changed) input.dispatchEvent(new Event('change', { bubbles: true }));
  input.dispatchEvent(new FocusEvent('blur', { composed: true }));
  input.dispatchEvent(new FocusEvent('focusout', { bubbles: true, composed: true }));
}

export const wait = (delayMs: number) => vi.advanceTimersByTimeAsync(delayMs).then(() => {});

/** Types an address and leaves the field, so that the widget sends a request. */
export async function ask(input: HTMLInputElement, address: string = JOE): Promise<void> {
  type(input, address);
  leave(input);
  await settle();
}

/** Types, leaves, and lets the service answer. */
export async function verify(
  page: PageUnderTest,
  value: string,
  attributes: object = {},
  input = page.input(),
): Promise<void> {
  await ask(input, value);
  await page.service.last.answer(200, resultOf(value, attributes));
}

// What can be observed

/** The state as it can be styled: the attribute, or `null`. */
export const stateOf = (input: HTMLInputElement) => input.getAttribute('data-email-verify');

/** The custom validity alone; what the browser itself finds wrong with a value is its own. */
export const customValidity = (input: HTMLInputElement) =>
  input.validity.customError ? input.validationMessage : '';

export const statuses = () => [...document.querySelectorAll<HTMLElement>('.email-verify-status')];

/** The status element that describes an input; throws when there is none. */
export function statusOf(input: HTMLInputElement): HTMLElement {
  const root = input.getRootNode() as Document | ShadowRoot;
  const found = (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => root.querySelector<HTMLElement>(`[id="${id}"]`))
    .find((element) => element?.matches('.email-verify-status'));
  if (!found) throw new Error('No status describes this input.');
  return found;
}

/** What can be read in the status; '' where nothing is visible. */
export function statusText(input: HTMLInputElement): string {
  const texts = statusOf(input).shadowRoot?.querySelectorAll<HTMLElement>(':host > *, *');
  const visible = [...(texts ?? [])].filter((element) => !element.closest('[hidden]'));
  return visible.find((element) => element.parentNode === statusOf(input).shadowRoot)?.textContent ?? '';
}

export const suggestionIn = (input: HTMLInputElement): HTMLButtonElement | null =>
  statusOf(input).shadowRoot?.querySelector('button') ?? null;

export const spinnerIn = (input: HTMLInputElement): HTMLElement | null =>
  statusOf(input).shadowRoot?.querySelector<HTMLElement>('[part~=spinner]') ?? null;

/** What is fired on an input, in order. */
export function record(target: EventTarget): PageEvent[] {
  const events: PageEvent[] = [];
  for (const name of ['verifying', 'verified', 'error']) {
    target.addEventListener(name, (event) => {
      events.push({ type: name, detail: (event as CustomEvent).detail, event: event as CustomEvent });
    });
  }
  return events;
}

export const typesOf = (events: PageEvent[]) => events.map(({ type: name }) => name);

/** The latest verdict; throws when there is none. */
export function verdictIn(events: PageEvent[]): VerifiedDetail {
  const verdict = events.filter(({ type: name }) => name === 'verified').at(-1);
  if (!verdict) throw new Error('There was no verdict.');
  return verdict.detail as VerifiedDetail;
}

/** Nothing has been asked, nor is within a minute, but for what a test has dealt with so far. */
export async function expectNoRequest(page: { service: ScriptedFetch }, but = 0): Promise<void> {
  await wait(60_000);
  expect(page.service.requests.slice(but).map(({ email }) => email)).toEqual([]);
}

export function pressEnter(input: HTMLInputElement, { isComposing = false } = {}): void {
  input.dispatchEvent(
    new KeyboardEvent('keydown', {
      key: 'Enter',
      bubbles: true,
      cancelable: true,
      composed: true,
      isComposing,
    }),
  );
}

/** What reaches a page when its form is about to be submitted. */
export function submit(form: HTMLFormElement | null, submitter: HTMLElement | null = null): SubmitEvent {
  if (!form) throw new Error('There is no form to submit.');
  const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
  form.dispatchEvent(event);
  return event;
}
