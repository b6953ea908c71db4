/** Where the browser goes after the decision: as a sentence, and for the content security policy. */
import { OUT_OF_BAND } from '../apps/redirect-uri.ts';

export interface RedirectTarget {
  readonly words: string;
  /** Other targets that the forms of the page may lead to. */
  readonly formTargets: readonly string[];
}

/**
 * Chromium also applies `form-action` to redirects after a form, and apps redirect further within their own hosts. So
 * the policy names the scheme without a host.
 *
 * @param redirectUri a registered one
 */
export function describeTarget(redirectUri: string): RedirectTarget {
  if (redirectUri === OUT_OF_BAND)
    return { words: 'If you allow it, you get a code. Copy it into the app.', formTargets: [] };
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  const words = isWeb ? `After your decision you go to ${host}.` : 'After your decision the app opens.';
  return { words, formTargets: [protocol] };
}
