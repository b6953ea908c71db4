/** The grant types of `/oauth/token`, and all their parameters. */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;

export type GrantType = (typeof GRANT_TYPES)[number];

/** The grant type that needs no secret (interface, section 4.7). */
export const DEVICE_GRANT: GrantType = 'urn:ietf:params:oauth:grant-type:device_code';

export const TOKEN_PARAMETERS = [
  ...(['grant_type', 'client_id', 'client_secret', 'scope'] as const),
  ...(['code', 'redirect_uri', 'code_verifier'] as const),
  ...(['refresh_token', 'device_code'] as const),
];

export type TokenParameters = Readonly<Record<(typeof TOKEN_PARAMETERS)[number], string | undefined>>;

export const isGrantType = (text: string): text is GrantType =>
  (GRANT_TYPES as readonly string[]).includes(text);
