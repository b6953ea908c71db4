/**
 * A hook and a component for React. The import alone does nothing, also on a server.
 *
 * @module email-verify-widget/react
 */
'use client';

import {
  type ComponentProps,
  createElement,
  type ReactElement,
  type RefCallback,
  useCallback,
  useEffect,
  useInsertionEffect,
  useRef,
  useState,
} from 'react';
import { type ComponentOptions, type InputAttributes, part } from './shared/input-options.ts';
import { type Share, shareWidget } from './shared/shared-widget.ts';
import { type Listeners, NOTHING_KNOWN, type Verdict, watchInput } from './shared/watch-input.ts';

export type { ComponentOptions } from './shared/input-options.ts';
export { installEmailVerify } from './shared/shared-widget.ts';
export type { Listeners, Verdict } from './shared/watch-input.ts';

/** The result of `useEmailVerify`: the verdict on the input's value, and the props for the input. */
export interface EmailVerify extends Verdict {
  /** Props for the input: `<input type="email" {...inputProps} />`. Their `ref` is the same function at each rendering. */
  readonly inputProps: InputAttributes & {
    /** Starts with the input and ends with it. */
    readonly ref: RefCallback<HTMLInputElement>;
    /** Visitors may use the input before hydration. The widget then sets attributes on it. */
    readonly suppressHydrationWarning: true;
  };
}

/**
 * Verifies one input, and renders again when its verdict changes. All components of a page share one widget. The first
 * component with an `apiKey` installs it, and it is destroyed after the last component unmounts. Without an `apiKey`,
 * the widget that the page embeds verifies the input.
 *
 * @param options options and listeners: see `ComponentOptions` and `Listeners`. Pass the same `captcha` function at
 *   each rendering
 * @returns the verdict, and the props for the input
 * @example
 * const { inputProps, state, message } = useEmailVerify({ apiKey: 'test_public_key', allow: { free: false } });
 * return <input type="email" name="email" {...inputProps} />;
 */
export function useEmailVerify(options: ComponentOptions & Listeners = {}): EmailVerify {
  const { onVerifying, onVerified, onError, ...rest } = options;
  const { attributes, ofPage } = part(rest);
  const [verdict, setVerdict] = useState(NOTHING_KNOWN);
  const listeners = useRef<Listeners>({});
  useInsertionEffect(() => {
    listeners.current = { onVerifying, onVerified, onError };
  });

  const share = useRef<Share>(null);
  useEffect(() => {
    share.current = shareWidget();
    return () => share.current?.release();
  }, []);
  // After each rendering, because most pass a new object. Equal values change nothing.
  useEffect(() => share.current?.give(ofPage));

  const ref = useCallback((input: HTMLInputElement | null) => {
    if (!input) return;
    const end = watchInput(input, () => listeners.current, setVerdict);
    return () => {
      end();
      setVerdict(NOTHING_KNOWN);
    };
  }, []);

  return { ...verdict, inputProps: { ...attributes, ref, suppressHydrationWarning: true } };
}

/** Props of `<EmailInput>`: those of an `<input>`, the listeners, and `verify`. */
export interface EmailInputProps extends Omit<ComponentProps<'input'>, keyof Listeners>, Listeners {
  /** Options of the widget, as for `useEmailVerify`. */
  verify?: ComponentOptions | undefined;
}

/**
 * An `<input type="email">` that the widget verifies. It takes the props and the `ref` of an `<input>`.
 *
 * @example
 * <EmailInput name="email" verify={{ apiKey: 'test_public_key' }} onVerified={({ detail }) => tell(detail)} />
 */
export function EmailInput({
  verify = {},
  onVerifying,
  onVerified,
  onError,
  ref,
  ...props
}: EmailInputProps): ReactElement {
  const { inputProps } = useEmailVerify({ ...verify, onVerifying, onVerified, onError });
  const own = inputProps.ref;
  const both = useCallback<RefCallback<HTMLInputElement>>(
    (input) => {
      const endOwn = own(input);
      const endGiven = typeof ref === 'function' ? ref(input) : undefined;
      if (ref && typeof ref === 'object') ref.current = input;
      return () => {
        if (endOwn) endOwn();
        if (endGiven) endGiven();
        else if (typeof ref === 'function') ref(null);
        else if (ref) ref.current = null;
      };
    },
    [own, ref],
  );
  return createElement('input', { type: 'email', ...props, ...inputProps, ref: both });
}
