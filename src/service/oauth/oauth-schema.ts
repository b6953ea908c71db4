/** The schemas of the OAuth responses (interface, sections 2.4, 2.5 and 7). */
import { type Static, Type } from '@sinclair/typebox';

export const TokenSchema = Type.Object(
  {
    access_token: Type.String({ description: 'Authenticates requests to the API.' }),
    refresh_token: Type.String({ description: 'Exchange it for the next pair of tokens. It works once.' }),
    token_type: Type.Literal('Bearer', { description: 'Always `Bearer`.' }),
    expires_in: Type.Integer({ description: 'How many seconds the access token is valid.' }),
    scope: Type.Literal('all', { description: 'Always `all`, the only scope.' }),
    created_at: Type.Integer({ description: 'When the tokens were issued, in seconds since 1970.' }),
  },
  { title: 'Tokens' },
);

export type TokenResponse = Static<typeof TokenSchema>;

export const DeviceCodeSchema = Type.Object(
  {
    device_code: Type.String({ description: 'The device polls the token endpoint with it.' }),
    user_code: Type.String({ description: 'The code that the person types, such as `WDJB-MJHT`.' }),
    verification_uri: Type.String({ description: 'The page where the person types it.' }),
    verification_uri_complete: Type.String({ description: 'The same page with the code filled in.' }),
    expires_in: Type.Integer({ description: 'How many seconds both codes are valid.' }),
    interval: Type.Integer({ description: 'The shortest pause between two polls, in seconds.' }),
  },
  { title: 'Device code' },
);

export const OAuthErrorSchema = Type.Object(
  {
    error: Type.String({ description: 'The name of the error.' }),
    error_description: Type.String({ description: 'The error in a sentence, for developers.' }),
  },
  { title: 'OAuth error' },
);
