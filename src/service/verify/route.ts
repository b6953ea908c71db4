/** `/v1/verify`, and `/v1/verify/explain`, which says as well how the result came about. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { keyOf } from '../access/access.ts';
import { answerPreflight } from '../access/preflight.ts';
import { tellRate } from '../access/rate.ts';
import { keyedRequest, runOnce } from '../idempotency/header.ts';
import { documentExplain, documentPreflight, documentVerify } from './documentation.ts';
import { ExplanationSchema, MessageSchema, ResultSchema, VerifyParameters } from './schema.ts';
import { bodyOf, createVerification, PATH, type VerifyRouteOptions, wantedOf } from './verification.ts';

export type { VerifyRouteOptions } from './verification.ts';

const MESSAGES = { 249: MessageSchema, '4xx': MessageSchema, '5xx': MessageSchema };

/** Has to be added to a scope whose routes are guarded. */
export const verifyRoute: FastifyPluginAsyncTypebox<VerifyRouteOptions> = async (app, options) => {
  const { ring, countRate, idempotency } = options;
  const verification = createVerification(options);
  const { access } = verification;

  // The demo has the routes a second time, in trouble (simulate.ts): its documentation leaves that out.
  const documented = (transform: ReturnType<typeof documentVerify>) =>
    app.prefix ? {} : { swaggerTransform: transform };

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: PATH,
      config: { access, ...documented(documentVerify(method)) },
      // Query and body are one when validation comes: both have been gathered by then.
      schema: { querystring: VerifyParameters, response: { 200: ResultSchema, ...MESSAGES } },
      handler: async function verify(request, reply) {
        const key = keyOf(request);
        const wanted = wantedOf(request.query);
        const keyed = idempotency && keyedRequest(request, key, PATH, wanted);
        if (!keyed) {
          return bodyOf(reply, await verification.run(request, reply, wanted), ({ result }) => result);
        }
        if (verification.isCountedLater(key)) tellRate(reply, await countRate(key, 'verify'));
        // A repeated response needs none of this: a captcha token works only once.
        return runOnce(idempotency, keyed, reply, async () => {
          const answer = await verification.run(request, reply, wanted, keyed);
          const body = bodyOf(reply, answer, ({ result }) => result);
          const { isStored } = answer;
          return { status: reply.statusCode, body: reply.serialize(body) as string, isStored };
        });
      },
    });
  }

  app.get(
    `${PATH}/explain`,
    {
      // Sample results have no evidence, and evidence names the mail servers that a page's visitor has no business with.
      config: {
        access: { ...access, publicKeys: false, testKeys: false, refusal: 'explanationRefused' },
        ...documented(documentExplain),
      },
      schema: { querystring: VerifyParameters, response: { 200: ExplanationSchema, ...MESSAGES } },
    },
    async function explain(request, reply) {
      const answer = await verification.run(request, reply, wantedOf(request.query));
      return bodyOf(reply, answer, ({ result, evidence }) => ({ ...result, evidence: [...evidence] }));
    },
  );

  app.options(
    PATH,
    { config: documented(documentPreflight) },
    answerPreflight(ring, 'GET, HEAD, POST, OPTIONS'),
  );
};
