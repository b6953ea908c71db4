/**
 * React: a hook and a component. Importing it does nothing by itself, on a server as well.
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
import { type ComponentOptions, type InputAttributes, part } from '../components/input-options.ts';
import { type Share, shareWidget } from '../components/shared-widget.ts';
import { type Listeners, NOTHING_KNOWN, type Verdict, watchInput } from '../components/watch-input.ts';

export type { ComponentOptions } from '../components/input-options.ts';
export { installEmailVerify } from '../components/shared-widget.ts';
export type { Listeners, Verdict } from '../components/watch-input.ts';

/** What `useEmailVerify` returns: what is known of the input's value, and what its input needs. */
export interface EmailVerify extends Verdict {
  /** For the `<input>`, as in `<input type="email" {...inputProps} />`. Its `ref` is the same at every rendering. */
  readonly inputProps: InputAttributes & {
    /** Begins when the input is there, ends when it goes. */
    readonly ref: RefCallback<HTMLInputElement>;
    /** A visitor may have touched the input before it is hydrated. */
    readonly suppressHydrationWarning: true;
  };
}

/**
 * Has one input verified, and renders anew when what is known of its value changes. All components of a page share
 * one widget: it is installed with the first that has an `apiKey`, and destroyed when the last is unmounted. Where
 * none has one, the widget that the page embeds itself does the work.
 *
 * @param options the input's own and the page's, see `ComponentOptions`, and the listeners. A `captcha` has to be the
 *   same function at every rendering.
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
  // After each rendering: options are written anew in most, and what is as it was changes nothing.
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

/** Props of `<EmailInput>`: an input's, and those of verification. */
export interface EmailInputProps extends Omit<ComponentProps<'input'>, keyof Listeners>, Listeners {
  /** As for `useEmailVerify`. */
  verify?: ComponentOptions | undefined;
}

/**
 * An `<input type="email">` that is verified. Takes an input's props and its `ref`.
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
