/** `/v1/verify`, and `/v1/verify/explain`, which adds the evidence of the result. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { keyOf } from '../access/access.ts';
import { answerPreflight } from '../access/preflight.ts';
import { tellRate } from '../access/request-rate.ts';
import { GRACE_MS } from '../core/bounds.ts';
import { keyedRequest, runOnce } from '../idempotency/idempotency-header.ts';
import { addProof } from './proof-header.ts';
import { bodyOf, createVerification, PATH, type VerifyRouteOptions, wantedOf } from './verification.ts';
import { documentExplain, documentPreflight, documentVerify } from './verify-documentation.ts';
import { ExplanationSchema, MessageSchema, ResultSchema, VerifyParameters } from './verify-schema.ts';

export type { VerifyRouteOptions } from './verification.ts';

const MESSAGES = { 249: MessageSchema, '4xx': MessageSchema, '5xx': MessageSchema };

/** Must be registered in a scope with guarded routes. */
export const verifyRoute: FastifyPluginAsyncTypebox<VerifyRouteOptions> = async (app, options) => {
  const { ring, countRate, deps } = options;
  const verification = createVerification(options);
  const { access } = verification;

  // The demo registers the routes a second time, to simulate failures (`demo/simulate-routes.ts`). The documentation omits
  // those.
  const documented = (transform: ReturnType<typeof documentVerify>) =>
    app.prefix ? {} : { swaggerTransform: transform };

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: PATH,
      config: { access, ...documented(documentVerify(method)) },
      // Query and body are already merged before the validation.
      schema: { querystring: VerifyParameters, response: { 200: ResultSchema, ...MESSAGES } },
      handler: async function verify(request, reply) {
        const key = keyOf(request);
        const wanted = wantedOf(request.query);
        const keyed = keyedRequest(request, key, PATH, wanted);
        if (!keyed || !deps) {
          const answer = await verification.run(request, reply, wanted);
          await addProof(options, request, reply, wanted, answer);
          return bodyOf(reply, answer, ({ result }) => result);
        }
        if (verification.isCountedLater(key)) tellRate(reply, await countRate(key, 'verify'));
        const end = performance.now() + wanted.timeoutMs;
        return runOnce(deps.idempotency, keyed, reply, async () => {
          const answer = await verification.run(request, reply, wanted, keyed);
          const body = bodyOf(reply, answer, ({ result }) => result);
          const { isStored } = answer;
          const longestMs = Math.max(end - performance.now(), 0) + GRACE_MS;
          return { status: reply.statusCode, body: reply.serialize(body) as string, isStored, longestMs };
        });
      },
    });
  }

  app.get(
    `${PATH}/explain`,
    {
      // Sample results have no evidence. Visitors of pages must not see the mail servers that evidence names.
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
