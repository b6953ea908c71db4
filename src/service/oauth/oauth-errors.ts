/** The errors of OAuth, with their names and statuses (interface, section 7; RFC 6749, section 5.2; RFC 8628, section 3.5). */
import { Failure } from '../core/failures.ts';

/** The default descriptions. */
const DESCRIPTIONS = {
  invalid_request: 'Expected every required parameter once, in a well-formed request.',
  invalid_redirect_uri: 'Expected redirect_uri to be exactly one that is registered for the app.',
  invalid_client: 'The app is unknown, its secret is wrong or missing, or it may not use this flow.',
  invalid_grant:
    'The grant is unknown, expired, used or revoked, or it belongs to another app or redirect URI.',
  invalid_scope: 'Expected scope to be all, or to be left out.',
  unauthorized_client: 'The app may not use this grant type.',
  unsupported_grant_type:
    'Expected grant_type to be authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code.',
  access_denied: 'The owner of the account denied the request.',
  authorization_pending: 'The owner of the account has not decided yet. Poll again after the interval.',
  slow_down: 'This poll came too early. Add 5 seconds to the interval before you poll again.',
  expired_token: 'The device code has expired. Request a new one.',
} as const;

export type OAuthErrorCode = keyof typeof DESCRIPTIONS;

/** A refusal of an OAuth endpoint. The response is `{"error": …, "error_description": …}`. */
export class OAuthFailure extends Failure {
  constructor(
    readonly error: OAuthErrorCode,
    description: string = DESCRIPTIONS[error],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error === 'invalid_client' ? 'clientRefused' : 'badRequest', description, headers, error);
  }
}

/** The body of every failure at an OAuth endpoint, including failures from other parts of the service. */
export function oauthFailureBody(failure: Failure): { error: string; error_description: string } {
  return { error: errorOf(failure), error_description: failure.message };
}

/** Failures without an OAuth name get the nearest one of RFC 6749, section 4.1.2.1. */
function errorOf(failure: Failure): string {
  if (failure instanceof OAuthFailure) return failure.error;
  if (failure.status < 500 && failure.status !== 429) return 'invalid_request';
  return failure.status !== 500 ? 'temporarily_unavailable' : 'server_error';
}
