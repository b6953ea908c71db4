/** Operators register the last two at the provider. */
export const PROVIDER_PATHS = {
  begin: '/login/oidc',
  callback: '/login/oidc/callback',
  logout: '/login/oidc/logout',
} as const;
