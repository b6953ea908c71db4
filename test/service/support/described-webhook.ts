/** A webhook as the OpenAPI document describes it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { Db } from '../../../src/service/database/schema.ts';
import { DOCS } from './docs.ts';
import type { ReceivedCallback } from './receiver.ts';
import { startStoredService } from './stored-service.ts';

export async function describedWebhook(db: Db, name: 'batchCompleted' | 'creditsLow') {
  const { app } = await startStoredService(db, { docs: DOCS });
  const document = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  const postOf = (name: string) => (document.webhooks![name] as { post: OpenAPIV3_1.OperationObject }).post;
  const post = postOf(name);
  const { content } = post.requestBody as OpenAPIV3_1.RequestBodyObject;
  const { schema, example, examples } = content['application/json']!;
  const { $ref } = schema as { $ref: string };
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  ajv.addFormat('date-time', (text: string) => new Date(text).toISOString() === text);
  const described = document.components!.schemas![$ref.split('/').at(-1)!];
  const fits = ajv.compile({ ...described, additionalProperties: false });
  const parameters = post.parameters as OpenAPIV3_1.ParameterObject[];
  const headers: Record<string, string> = Object.fromEntries(
    parameters.map(({ name, example }) => [name, String(example)]),
  );
  const bodies: object[] = examples
    ? Object.values(examples as Record<string, { value: object }>).map(({ value }) => value)
    : [example];
  return {
    post,
    headers,
    page: (await app.inject('/docs/api/')).body,
    /** That a receiver gets the headers and a body like this one, and that the examples have them, too. */
    expectLike({ headers: sent, body }: ReceivedCallback) {
      const signed = Object.keys(sent).filter((name) => name.startsWith('webhook-'));
      expect(Object.keys(headers).sort()).toEqual(signed.sort());
      for (const one of [JSON.parse(body), ...bodies]) expect([fits(one), fits.errors]).toEqual([true, null]);
    },
    /** That the headers sign the first example with the secret that the description of callbacks names. */
    expectSigned() {
      const [secret] = /whsec_[\w+/=]+/.exec(postOf('batchCompleted').description!)!;
      const [id, sentAt] = [headers['webhook-id']!, new Date(Number(headers['webhook-timestamp']) * 1000)];
      const signature = new Webhook(secret).sign(id, sentAt, JSON.stringify(bodies[0]));
      expect(headers['webhook-signature']).toBe(signature);
    },
  };
}
