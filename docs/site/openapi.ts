/**
 * The service's description in OpenAPI 3.1: the schemas of each route, and the texts of its `…-documentation.ts`. Routes
 * without documentation are left out.
 */
import { type FastifyPluginAsync, fastify } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { accountRoute } from '../../src/service/account/account-route.ts';
import { AccountSchema } from '../../src/service/account/account-schema.ts';
import { batchRoute } from '../../src/service/batch/batch-route.ts';
import { CreatedSchema, StatusSchema } from '../../src/service/batch/batch-schema.ts';
import { CALLBACK } from '../../src/service/batch/callbacks/callback-documentation.ts';
import { downloadRoute } from '../../src/service/batch/download/download-route.ts';
import { NoticeSchema } from '../../src/service/notices/notice-body.ts';
import { NOTICE } from '../../src/service/notices/notice-documentation.ts';
import { oauthRoute } from '../../src/service/oauth/oauth-routes.ts';
import { DeviceCodeSchema, OAuthErrorSchema, TokenSchema } from '../../src/service/oauth/oauth-schema.ts';
import { license } from '../../src/service/package.json';
import { verifyRoute } from '../../src/service/verify/verify-route.ts';
import { ExplanationSchema, MessageSchema, ResultSchema } from '../../src/service/verify/verify-schema.ts';

const DESCRIPTION = `Verifies email addresses, and reports for each a state, the reason for it, a score and attributes. The widget uses the same API as any other client.

Public keys are for web pages. They work only on their trusted domains, which the service checks by the \`Origin\` header. Private keys are for servers. A key that begins with \`test_\` gets sample results, always the same for an address. These test addresses have fixed results: \`deliverable@example.com\`, \`undeliverable@…\`, \`risky@…\`, \`unknown@…\`, \`role@…\`, \`free@…\`, \`accept-all@…\`, \`disposable@…\`, \`slow@…\`.

Every error of \`/v1/\` has the same body, \`{"message": …}\`. The endpoints of OAuth have errors of their own, except for requests that cannot be read. An unknown URL gets a 404.`;

/** SPDX's name of it. */
const LICENSE = { name: license, identifier: license };

const WITHOUT_DATABASE = [verifyRoute];
const WITH_DATABASE = [...WITHOUT_DATABASE, accountRoute, batchRoute, downloadRoute, oauthRoute];

/** Of the routes that a service adds to its app (`createService`). They are never asked, so they need no dependencies. */
export async function openApi(hasDatabase: boolean): Promise<OpenAPIV3_1.Document> {
  const app = fastify();
  // Not the app's own validation, which does not know all keywords of the schemas.
  app.setValidatorCompiler(() => () => true);
  app.register(import('@fastify/swagger'), {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Email verification', version: '1', description: DESCRIPTION, license: LICENSE },
      servers: [{ url: '/' }],
      tags: [
        { name: 'Verification', description: 'One address at a time.' },
        { name: 'Batch', description: 'Many addresses at once.' },
        { name: 'Account', description: 'Its owner and its credits.' },
        { name: 'OAuth', description: 'Tokens for apps that act for an account.' },
      ],
      webhooks: { batchCompleted: CALLBACK, creditsLow: NOTICE },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key or an access token. From a page, browsers send a preflight first.',
          },
          apiKey: {
            type: 'apiKey',
            in: 'query',
            name: 'api_key',
            description: 'An API key. In a POST, it can be in the body instead.',
          },
          accessToken: {
            type: 'apiKey',
            in: 'query',
            name: 'access_token',
            description:
              'An OAuth access token, instead of an API key. It has the rights of a private live key of the account.',
          },
        },
        schemas: {
          Result: ResultSchema,
          Explanation: ExplanationSchema,
          BatchCreated: CreatedSchema,
          BatchStatus: StatusSchema,
          Account: AccountSchema,
          Notice: NoticeSchema,
          Tokens: TokenSchema,
          DeviceCode: DeviceCodeSchema,
          OAuthError: OAuthErrorSchema,
          Message: MessageSchema,
        } as never,
      },
    },
    transform: ({ schema, url }) => ({ url, schema: { ...schema, hide: true } }),
    // `expected` is for our validation and is not a keyword of OpenAPI.
    transformObject: (document) =>
      'openapiObject' in document
        ? JSON.parse(
            JSON.stringify(document.openapiObject, (name, value) =>
              name === 'expected' && typeof value === 'string' ? undefined : value,
            ),
          )
        : document.swaggerObject,
  });
  for (const route of hasDatabase ? WITH_DATABASE : WITHOUT_DATABASE)
    app.register(route as FastifyPluginAsync<never>, { deps: {} } as never);
  await app.ready();
  return { ...(app.swagger() as OpenAPIV3_1.Document), servers: [{ url: '@@server@@' }] };
}
