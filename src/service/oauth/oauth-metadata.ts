/** The metadata by which clients discover the endpoints (RFC 8414). */
import { GRANT_TYPES } from './grant-types.ts';

/** How an app may authenticate. A public app uses `none`. */
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

/** @param issuer without a slash at the end @param hasDocs whether the service has its documentation */
export function metadataOf(issuer: string, hasDocs: boolean) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    device_authorization_endpoint: `${issuer}/oauth/device/code`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256', 'plain'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    scopes_supported: ['all'],
    authorization_response_iss_parameter_supported: true,
    ...(hasDocs && { service_documentation: `${issuer}/docs/oauth` }),
  };
}
