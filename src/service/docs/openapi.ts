/**
 * The service's description in OpenAPI 3.1: the schemas of each route, and the texts of its `…-documentation.ts`. Routes
 * without documentation are left out.
 */
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { AccountSchema } from '../account/account-schema.ts';
import { CreatedSchema, StatusSchema } from '../batch/batch-schema.ts';
import { CALLBACK } from '../batch/callbacks/callback-documentation.ts';
import { PAGE_HEADERS } from '../http/security-headers.ts';
import { DeviceCodeSchema, OAuthErrorSchema, TokenSchema } from '../oauth/oauth-schema.ts';
import { license } from '../package.json';
import { ExplanationSchema, MessageSchema, ResultSchema } from '../verify/verify-schema.ts';
import { postmanCollection } from './postman.ts';

const DESCRIPTION = `Verifies email addresses, and reports for each a state, the reason for it, a score and attributes. The widget uses the same API as any other client.

Public keys are for web pages. They work only on their trusted domains, which the service checks by the \`Origin\` header. Private keys are for servers. A key that begins with \`test_\` gets sample results, always the same for an address. These test addresses have fixed results: \`deliverable@example.com\`, \`undeliverable@…\`, \`risky@…\`, \`unknown@…\`, \`role@…\`, \`free@…\`, \`accept-all@…\`, \`disposable@…\`, \`slow@…\`.

Every error of \`/v1/\` has the same body, \`{"message": …}\`. The endpoints of OAuth have errors of their own, except for requests that cannot be read. An unknown URL gets a 404.`;

/** SPDX's name of it. */
const LICENSE = { name: license, identifier: license };

/**
 * Collects the documentation of routes as they are added, so call it before any route is added. Loaded only if needed.
 *
 * @param publicUrl as the config has it: without a slash at the end
 */
export function collectDocumentation(app: FastifyInstance, publicUrl: string | undefined): void {
  app.register(import('@fastify/swagger'), {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Email verification', version: '1', description: DESCRIPTION, license: LICENSE },
      // Without a public URL, the root of the host that serves the document.
      servers: [{ url: publicUrl ?? '/' }],
      tags: [
        { name: 'Verification', description: 'One address at a time.' },
        { name: 'Batch', description: 'Many addresses at once.' },
        { name: 'Account', description: 'Its owner and its credits.' },
        { name: 'OAuth', description: 'Tokens for apps that act for an account.' },
      ],
      webhooks: { batchCompleted: CALLBACK },
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
}

/**
 * The document for programs, at `/docs/openapi.json`, and the same as a collection for Postman.
 *
 * @param publicUrl as the config has it @returns what reads the document. It is complete when the app is ready.
 */
export function serveOpenApi(
  app: FastifyInstance,
  publicUrl: string | undefined,
): () => OpenAPIV3_1.Document {
  const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-cache' };
  const document = () => app.swagger() as OpenAPIV3_1.Document;
  app.get('/docs/openapi.json', async (_request, reply) => reply.headers(headers).send(document()));
  app.get('/docs/postman.json', async ({ protocol, host }, reply) => {
    const url = publicUrl ?? `${protocol}://${host}`;
    return reply.headers(headers).send(postmanCollection(document(), url));
  });
  return document;
}
