/**
 * A directive and a composable for Vue. The import alone does nothing, also on a server.
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
import { type ComponentOptions, part } from './shared/input-options.ts';
import { shareWidget } from './shared/shared-widget.ts';
import { type Listeners, NOTHING_KNOWN, type Verdict, watchInput } from './shared/watch-input.ts';

declare module 'vue' {
  // Both events bubble, so a template may listen on any element around the input.
  interface HTMLAttributes {
    /** Called before a request. To skip this address, call `event.preventDefault()`. */
    onVerifying?: Listeners['onVerifying'];
    /** Called after a verdict. */
    onVerified?: Listeners['onVerified'];
  }
  interface InputHTMLAttributes {
    /** Takes a handler for any event, also for the widget's `EmailVerifyErrorEvent`. */
    onError?: ErrorHandler;
  }
}

/**
 * Vue's own type only takes handlers of a plain `Event`, and strict function types refuse narrower ones. TypeScript
 * compares the parameters of methods in both directions, so this type takes both, and still extends Vue's.
 */
type ErrorHandler = { handle(event: Event): void }['handle'];

export type { ComponentOptions } from './shared/input-options.ts';
export { installEmailVerify } from './shared/shared-widget.ts';
export type { Listeners, Verdict } from './shared/watch-input.ts';

/** The result of `useEmailVerify`: the verdict on the input's value. Each part is a read-only ref. */
export type EmailVerify = { readonly [Part in keyof Verdict]: Readonly<Ref<Verdict[Part]>> };

type Attached = ReturnType<typeof attach>;

/** Verifies an input until `detach()`. */
function attach(
  input: HTMLInputElement,
  options: ComponentOptions & Listeners,
  tell: (verdict: Verdict) => void = () => {},
) {
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
 * The directive `v-email-verify`, which verifies its input. Its optional value contains options and listeners, as for
 * `useEmailVerify`. You can also listen with `@verifying`, `@verified` and `@error`.
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
 * Verifies one input, and returns its verdict. All components of a page share one widget. The first component with an
 * `apiKey` installs it, and it is destroyed after the last component unmounts. Without an `apiKey`, the widget that the
 * page embeds verifies the input.
 *
 * @param input a template ref or a getter. Its value may be `null` while there is no input
 * @param options options and listeners, or a ref or getter of them: see `ComponentOptions` and `Listeners`
 * @returns the verdict, as refs
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
