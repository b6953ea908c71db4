/**
 * Vue: a directive and a composable. Importing it does nothing by itself, on a server as well.
 *
 * @module email-verify-widget/vue
 */

import {
  computed,
  type MaybeRefOrGetter,
  type ObjectDirective,
  type Ref,
  shallowRef,
  toValue,
  watch,
} from 'vue';
import { type ComponentOptions, part } from '../components/input-options.ts';
import { shareWidget } from '../components/shared-widget.ts';
import { type Listeners, NOTHING_KNOWN, type Verdict, watchInput } from '../components/watch-input.ts';

declare module 'vue' {
  // Both events bubble: a template may listen on any element around the input.
  interface HTMLAttributes {
    /** Before a request; `event.preventDefault()` leaves this address alone. */
    onVerifying?: Listeners['onVerifying'];
    /** There is a verdict. */
    onVerified?: Listeners['onVerified'];
  }
  interface InputHTMLAttributes {
    /** Takes a handler of any event, and one of the widget's `EmailVerifyErrorEvent`. */
    onError?: ErrorHandler;
  }
}

/**
 * Vue's own type only takes handlers of a plain `Event`, and strict function types refuse narrower ones. TypeScript
 * compares the parameters of methods in both directions, so this type takes both, and still extends Vue's.
 */
type ErrorHandler = { handle(event: Event): void }['handle'];

export type { ComponentOptions } from '../components/input-options.ts';
export { installEmailVerify } from '../components/shared-widget.ts';
export type { Listeners, Verdict } from '../components/watch-input.ts';

/** What `useEmailVerify` returns: what is known of the input's value, each part as a ref to read. */
export type EmailVerify = { readonly [Part in keyof Verdict]: Readonly<Ref<Verdict[Part]>> };

interface Attached {
  update(options: ComponentOptions & Listeners): void;
  detach(): void;
}

/** Has an input verified, until it is detached. */
function attach(
  input: HTMLInputElement,
  options: ComponentOptions & Listeners,
  tell: (verdict: Verdict) => void = () => {},
): Attached {
  const share = shareWidget();
  let listeners: Listeners = {};
  let names: string[] = [];

  function update({ onVerifying, onVerified, onError, ...rest }: ComponentOptions & Listeners) {
    listeners = { onVerifying, onVerified, onError };
    const { attributes, ofPage } = part(rest);
    for (const name of names) if (!(name in attributes)) input.removeAttribute(name);
    names = Object.keys(attributes);
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
    share.give(ofPage);
  }

  update(options);
  const end = watchInput(input, () => listeners, tell);
  return {
    update,
    detach() {
      end();
      for (const name of names) input.removeAttribute(name);
      share.release();
      tell(NOTHING_KNOWN);
    },
  };
}

const attached = new WeakMap<HTMLInputElement, Attached>();

/**
 * `v-email-verify`: has its input verified. Its value, if it has one, is the options and listeners, see
 * `useEmailVerify`; the widget's events may be heard with `@verified` and `@error` as well.
 *
 * @example
 * <input v-email-verify="{ allow: { free: false } }" type="email" name="email" @verified="tell">
 */
export const vEmailVerify: ObjectDirective<HTMLInputElement, (ComponentOptions & Listeners) | undefined> = {
  mounted(input, { value = {} }) {
    attached.set(input, attach(input, value));
  },
  updated(input, { value = {} }) {
    attached.get(input)?.update(value);
  },
  unmounted(input) {
    attached.get(input)?.detach();
  },
  getSSRProps: ({ value = {} }) => part(value).attributes,
};

/**
 * Has one input verified, and tells what is known of its value. All components of a page share one widget: it is
 * installed with the first that has an `apiKey`, and destroyed when the last is unmounted. Where none has one, the
 * widget that the page embeds itself does the work.
 *
 * @param input a template ref, or a getter; may have no input at times
 * @param options the input's own and the page's, see `ComponentOptions`, and the listeners; may be a ref or a getter
 * @example
 * const input = useTemplateRef('email');
 * const { state, message } = useEmailVerify(input, { apiKey: 'test_public_key' });
 */
export function useEmailVerify(
  input: MaybeRefOrGetter<HTMLInputElement | null | undefined>,
  options: MaybeRefOrGetter<ComponentOptions & Listeners> = {},
): EmailVerify {
  const verdict = shallowRef(NOTHING_KNOWN);
  let present: Attached | undefined;

  watch(
    () => toValue(input),
    (element, _, onCleanup) => {
      if (!element) return;
      const own = attach(element, toValue(options), (next) => {
        verdict.value = next;
      });
      present = own;
      onCleanup(() => {
        own.detach();
        present = undefined;
      });
    },
    { flush: 'post', immediate: true },
  );
  watch(
    () => toValue(options),
    (given) => present?.update(given),
    { flush: 'post', deep: true },
  );

  return {
    state: computed(() => verdict.value.state),
    message: computed(() => verdict.value.message),
    accepted: computed(() => verdict.value.accepted),
    detail: computed(() => verdict.value.detail),
  };
}
