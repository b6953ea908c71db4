/** The URL at the provider at which a sign-in begins. */
import * as openid from 'openid-client';
import type { PublicUrl } from '../../core/public-url.ts';
import type { Found } from './provider.ts';
import { PROVIDER_PATHS } from './provider-paths.ts';
import type { BrowserSecrets } from './sign-in-request.ts';

/** The one that operators register. */
export const redirectUri = (publicUrl: Pick<PublicUrl, 'now'>): string =>
  `${publicUrl.now()}${PROVIDER_PATHS.callback}`;

export interface AuthorizationOptions {
  /** Whether the person must sign in there again. */
  readonly isConfirmation: boolean;
  /** The claim with the groups. Providers send it with the scope `profile`, or with one of its name. */
  readonly claim: string | undefined;
}

export async function authorizationUrl(
  { config }: Found,
  publicUrl: Pick<PublicUrl, 'now'>,
  { state, nonce, verifier }: BrowserSecrets,
  { isConfirmation, claim }: AuthorizationOptions,
): Promise<string> {
  const scopes = ['openid', 'email'];
  if (claim !== undefined) scopes.push('profile');
  if (claim !== undefined && config.serverMetadata().scopes_supported?.includes(claim)) scopes.push(claim);
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri(publicUrl),
    scope: [...new Set(scopes)].join(' '),
    ...{ state, nonce },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isConfirmation && { max_age: '0', prompt: 'login' }),
  });
  return url.href;
}
