/** Where the browser goes after the decision: in words, and for the policy of the page. */

export interface RedirectTarget {
  readonly words: string;
  /** What the forms of the page may lead to besides this service. */
  readonly formTargets: readonly string[];
}

const OOB = 'urn:ietf:wg:oauth:2.0:oob';

/**
 * Chromium holds redirects after a form to `form-action`, too, and apps redirect further within their own hosts. The
 * policy therefore names the scheme and no host.
 *
 * @param redirectUri one that is registered
 */
export function describeTarget(redirectUri: string): RedirectTarget {
  if (redirectUri === OOB)
    return { words: 'If you allow it, you get a code. Copy it into the app.', formTargets: [] };
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  const words = isWeb ? `After your decision you go to ${host}.` : 'After your decision the app opens.';
  return { words, formTargets: [protocol] };
}
