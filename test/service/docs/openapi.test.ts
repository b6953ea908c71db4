/** The service's documentation is whole, and what it says is what is answered. */
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Window } from 'happy-dom';
import type { OpenAPIV3_1 } from 'openapi-types';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROOF_HEADER } from '../../../src/protocol/proof.ts';
import { REASONS, STATES } from '../../../src/protocol/result.ts';
import { createService } from '../../../src/service/app/web.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { DEMO_KEYS } from '../../../src/service/demo/demo-keys.ts';
import { converse, listenService, type RawAnswer } from '../raw.ts';
import { type ServiceChanges, settingsWith } from '../support/deps.ts';
import { DOCS as docs } from '../support/docs.ts';
import { FORM, KEYS, multipart, SHOP, startService } from '../testing.ts';

const DOCS = { docs };

let document: OpenAPIV3_1.Document;
beforeAll(async () => {
  const app = createService({ keys: KEYS, settings: settingsWith(), ...DOCS });
  document = (await app.inject('/docs/openapi.json')).json();
  await app.close();
});

const operationsAt = (path: string) =>
  document.paths?.[path] as Record<'get' | 'post' | 'options', OpenAPIV3_1.OperationObject>;

it('is OpenAPI, with every reference leading somewhere', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(JSON.stringify(document)).toContain('#/components/schemas/Result');
  expect(JSON.stringify(validator.resolveRefs())).not.toContain('$ref');
});

/** What a service without a database refuses, whatever the request says. */
const SANDBOX = /^\w+ \/(v1\/account|v1\/batch|oauth\/.*)$/;

it('has every route and method of the API', async () => {
  const { app } = startService(DOCS);
  await app.ready();
  // A tree: what is below a route begins with its path.
  const above: string[] = [];
  const found = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?)[└├]── (\S*)(?: \((.*)\))?/.exec(line) ?? [];
      above.length = indent.length / 4;
      above.push(part);
      return methods.split(', ').map((method) => `${method} ${above.join('')}`);
    })
    .filter((route) => /^\w+ \/(v1|oauth)\//.test(route) && !SANDBOX.test(route));
  const documented = Object.keys(document.paths ?? {}).flatMap((path) =>
    Object.keys(operationsAt(path)).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // As HTTP has it, what can be got has a head.
  expect(found.filter((route) => !route.startsWith('HEAD ')).sort()).toEqual(documented.sort());
  expect(found).toHaveLength(documented.length + 2);
});

it('has the fields of a result that the package has in its types, of the same types', () => {
  const source = readFileSync('src/protocol/result.ts', 'utf8');
  const [, fields = ''] = /interface VerificationResult \{(.*?)\n\}/s.exec(source)!;
  const found = Array.from(fields.matchAll(/^ {2}(\w+\??): (.*);$/gm));
  const typed = Object.fromEntries(found.map(([, name, type]) => [name!, type!.split(' | ')]));
  const { properties = {}, required = [] } = document.components!.schemas!.Result as OpenAPIV3_1.SchemaObject;
  const names: Record<string, string> = {
    ...{ integer: 'number', [String(REASONS)]: 'Reason', [String(STATES)]: 'State' },
  };
  const documented = Object.entries(properties as Record<string, OpenAPIV3_1.SchemaObject>).map(
    ([name, { type, enum: values }]) => [
      required.includes(name) ? name : `${name}?`,
      [values ? String(values) : type!].flat().map((each) => names[each] ?? each),
    ],
  );
  expect(Object.fromEntries(documented)).toEqual(typed);
});

it('says of everything what it is', () => {
  const silent: string[] = [];
  const look = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && !('description' in value) && !place.includes('/content/')) silent.push(place);
    for (const [name, part] of Object.entries((value as { properties?: object }).properties ?? {})) {
      if (!part.description) silent.push(`${place}/${name}`);
    }
    for (const [name, part] of Object.entries(value)) look(part, `${place}/${name}`);
  };
  look(document.paths, '');
  look(document.components, '');
  expect(silent).toEqual([]);
});

interface Asked {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: string;
  readonly body?: string;
  readonly options?: ServiceChanges;
  /** How often, for the last answer to count. */
  readonly times?: number;
}

it('says of every answer of an explanation what it holds', async () => {
  const { get } = operationsAt('/v1/verify/explain');
  const expected = ['200', '249', '400', '401', '402', '403', '429', '503'];
  expect(Object.keys(get.responses ?? {})).toEqual(expect.arrayContaining(expected));
  const examples = (status: string) => {
    const { content } = get.responses![status] as OpenAPIV3_1.ResponseObject;
    const named = content!['application/json']!.examples as Record<string, { value: unknown }>;
    return Object.values(named).map(({ value }) => value);
  };
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile({
    ...document.components?.schemas?.Explanation,
    additionalProperties: false,
  });
  for (const example of examples('200')) expect([validate(example), validate.errors]).toEqual([true, null]);
  const { ask } = startService();
  const said = async (key: string) =>
    (await ask({ url: `/v1/verify/explain?email=jane@company.example&api_key=${key}` })).json();
  expect(examples('403')).toContainEqual(await said('test_private'));
  expect(examples('503')).toContainEqual(await said('live_private'));
});

const KEY = { api_key: 'test_private' };
const JANE = { email: 'jane@company.example' };
const BAD_TOKEN: typeof fetch = async () => Response.json({ success: false });
const CAPTCHA_KEY: KeyEntry = {
  ...{ key: 'test_captcha', kind: 'public', trustedDomains: ['shop.example'] },
  captcha: { provider: 'turnstile', secret: 'secret' },
};
const CAPTCHA = { keys: [...KEYS, CAPTCHA_KEY] };
const FROM_SHOP = { query: { api_key: 'test_captcha', ...JANE }, headers: `Origin: ${SHOP}\r\n` };
const typed = (type: string) => `Content-Type: ${type}\r\n`;
const { payload, type: MULTIPART } = multipart([
  ['email', JANE.email],
  ['api_key', KEY.api_key],
]);

/** Requests for every answer that is documented, by its status; the names are those of the examples where there is one. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, Asked>>>> = {
  200: {
    deliverable: { query: { ...KEY, email: 'deliverable@example.com' } },
    invalid: { query: { ...KEY, email: 'no address' } },
    page: { query: { api_key: 'test_public', ...JANE }, headers: `Origin: ${SHOP}\r\n` },
    header: { query: JANE, headers: 'Authorization: Bearer test_private\r\n' },
    form: { method: 'POST', headers: typed(FORM), body: String(new URLSearchParams({ ...KEY, ...JANE })) },
    multipart: { method: 'POST', headers: typed(MULTIPART), body: payload },
    json: {
      method: 'POST',
      headers: typed('application/json'),
      body: JSON.stringify({ ...KEY, ...JANE, smtp: false, accept_all: true, timeout: 10 }),
    },
  },
  249: { slow: { query: { ...KEY, email: 'slow@example.com' } } },
  400: {
    email: { query: KEY },
    timeout: { query: { ...KEY, ...JANE, timeout: '11' } },
    credentials: { query: { ...KEY, ...JANE }, headers: 'Authorization: Bearer test_office\r\n' },
  },
  401: { none: { query: JANE } },
  403: {
    key: { query: { api_key: 'test_nobodys', ...JANE } },
    token: { query: { access_token: 'token', ...JANE } },
    accessToken: { query: { access_token: `at_${'x'.repeat(43)}`, ...JANE } },
    captcha: {
      ...FROM_SHOP,
      query: { ...FROM_SHOP.query, captcha_response: 'spent' },
      options: { ...CAPTCHA, fetch: BAD_TOKEN },
    },
    captchaMissing: { ...FROM_SHOP, options: CAPTCHA },
  },
  405: { methodNotAllowed: { method: 'PUT' } },
  408: { requestTimeout: { headers: 'X-Late: ', options: { timeouts: { head: 50 } } } },
  413: { large: { method: 'POST', headers: typed(FORM), body: 'a'.repeat(65 * 1024) } },
  415: { text: { method: 'POST', query: KEY, headers: typed('text/plain'), body: 'Hello' } },
  417: { expectationFailed: { headers: 'Expect: something\r\n' } },
  429: {
    unknownKeys: { query: { api_key: 'test_nobodys', ...JANE }, times: 101 },
    rate: { query: { ...KEY, ...JANE }, options: { limits: { verifyPerSecond: 1 } }, times: 2 },
  },
  431: { headersTooLarge: { headers: `X-Long: ${'a'.repeat(17 * 1024)}\r\n` } },
  500: {
    internal: { query: { ...KEY, ...JANE }, options: { sampleVerifier: () => Promise.reject(new Error()) } },
  },
  503: {
    captcha: { ...FROM_SHOP, query: { ...FROM_SHOP.query, captcha_response: 'good' }, options: CAPTCHA },
    live: { query: { api_key: 'live_private', ...JANE } },
  },
};

/** A connection with more unanswered requests is closed. */
const AT_ONCE = 30;

async function ask({ method = 'GET', query, headers = '', body = '', options, times = 1 }: Asked) {
  const { port } = await listenService(options);
  const length = method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const target = `/v1/verify?${new URLSearchParams(query)}`;
  const end = headers.endsWith(': ') ? '' : '\r\n';
  const request = `${method} ${target} HTTP/1.1\r\nHost: api.example\r\n${length}${headers}${end}${body}`;
  let answers: RawAnswer[] = [];
  for (let left = times; left > 0; left -= AT_ONCE) {
    const count = Math.min(left, AT_ONCE);
    answers = await converse(port, [request.repeat(count)], count).closed;
  }
  return answers.at(-1)!;
}

/** The examples of a 503 that need a database. */
const UNAVAILABLE = [
  'liveUnavailable',
  'liveBusy',
  'portClosed',
  'databaseAway',
  'databaseFull',
  'databaseSlow',
];

describe('what it says of each answer is so', () => {
  const rows = Object.entries(ANSWERS).flatMap(([status, requests]) =>
    Object.entries(requests).map(([name, asked]) => ({ status, name, asked })),
  );
  it.each(rows)('$status: $name', async ({ status, name, asked }) => {
    const answer = await ask(asked);
    expect(answer.status).toBe(Number(status));
    // What is no method of the address is said with those that are.
    const operations = operationsAt('/v1/verify');
    const operation = asked.method === 'POST' ? operations.post : operations.get;
    const response = operation.responses?.[status] as OpenAPIV3_1.ResponseObject;
    // An unknown key has no limit of requests.
    const { headers: { 'Retry-After': retryAfter } = {} } = response;
    const own = name === 'unknownKeys' ? { headers: { 'Retry-After': retryAfter! } } : {};
    const documented = { ...response, ...own };
    // Only the result of a page has a proof.
    const isLeftOut = (header: string) => header === PROOF_HEADER && name !== 'page';
    const headers = Object.entries(documented.headers ?? {}).filter(([header]) => !isLeftOut(header));
    expectToFit(answer, { ...documented, headers: Object.fromEntries(headers) });
    const examples = response.content?.['application/json']?.examples as Record<string, { value: object }>;
    if (examples[name]) expect(JSON.parse(answer.body)).toEqual(examples[name].value);
  });

  it('and no other is documented, nor an example that is not answered', () => {
    const { get, post } = operationsAt('/v1/verify');
    const withDatabase = ['402', '409', '422'];
    const expected = [...Object.keys(ANSWERS), ...withDatabase].sort();
    expect(Object.keys({ ...get.responses, ...post.responses }).sort()).toEqual(expected);
    for (const [status, response] of Object.entries(post.responses ?? {})) {
      const content = (response as OpenAPIV3_1.ResponseObject).content?.['application/json'];
      if (withDatabase.includes(status)) continue;
      // errors.test.ts causes these, with a database.
      const others = { 429: ['spent'], 503: UNAVAILABLE }[status] ?? [];
      const answered = [...Object.keys(ANSWERS[status]!), ...others];
      expect(answered).toEqual(expect.arrayContaining(Object.keys(content?.examples ?? {})));
    }
  });

  it('and of what a browser asks beforehand', async () => {
    const { responses } = operationsAt('/v1/verify').options;
    const yes = await ask({ method: 'OPTIONS', headers: `Origin: ${SHOP}\r\n` });
    expect([yes.status, yes.body]).toEqual([204, '']);
    expectHeaders(yes, responses?.[204] as OpenAPIV3_1.ResponseObject);
    const no = await ask({ method: 'OPTIONS', headers: 'Origin: https://evil.test\r\n' });
    expect(no.status).toBe(403);
    expectToFit(no, responses?.[403] as OpenAPIV3_1.ResponseObject);
  });
});

/** The body has the documented fields, all of them and no others, and every header is there. */
function expectToFit(answer: RawAnswer, response: OpenAPIV3_1.ResponseObject): void {
  const body = response.content?.['application/json'] as { schema: { $ref: string } };
  const schema = document.components?.schemas?.[body.schema.$ref.split('/').at(-1)!];
  const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile({
    ...schema,
    additionalProperties: false,
  });
  validate(JSON.parse(answer.body));
  expect(validate.errors).toBeNull();
  expectHeaders(answer, response);
}

function expectHeaders(answer: RawAnswer, response: OpenAPIV3_1.ResponseObject): void {
  const numbers = Object.entries(response.headers ?? {}).map(([name, header]) => {
    const { type } = (header as OpenAPIV3_1.HeaderObject).schema as OpenAPIV3_1.SchemaObject;
    return [name, answer.headers[name.toLowerCase()], type === 'integer' ? /^\d+$/ : /./] as const;
  });
  for (const [name, value, pattern] of numbers) expect(value, name).toMatch(pattern);
}

describe('the page', () => {
  it('has every operation, parameter and answer, with nothing of them taken for markup', async () => {
    const { body, headers } = await startService(DOCS).ask({ url: '/docs/api/' });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const [method, operation] of Object.entries(operationsAt('/v1/verify'))) {
      expect(body).toContain(`${method.toUpperCase()} /v1/verify`);
      for (const parameter of (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]) {
        expect(body).toContain(`<code>${parameter.name}</code>`);
      }
      for (const status of Object.keys(operation.responses ?? {})) expect(body).toContain(`<b>${status}</b>`);
    }
    expect(body).toContain('{"message": …}'.replaceAll('"', '&quot;'));
    expect(body).not.toMatch(/undefined|\[object/);
  });

  it.each([
    '/docs',
    '/docs/',
    '/docs/api/',
    '/docs/search',
    '/docs/assets/docs.css',
    '/docs/openapi.json',
    '/reference/',
  ])('is not there without the documentation: %s', async (url) => {
    expect((await startService().ask({ url })).statusCode).toBe(404);
  });

  it('asks without its script as well: the forms are whole as they stand', async () => {
    const { app } = startService({ keys: DEMO_KEYS, demoFolder: 'demo', isDemo: true, ...DOCS });
    const window = new Window();
    window.document.write((await app.inject('/docs/api/')).body);
    for (const form of window.document.querySelectorAll('form')) {
      // What a browser sends that runs no script: every control with a name, as it stands.
      const fields = String(new URLSearchParams([...new window.FormData(form)] as [string, string][]));
      const headers = { host: '127.0.0.1:8080', 'sec-fetch-site': 'same-origin' };
      const action = form.getAttribute('action')!;
      if (action === '/docs/search') continue;
      // The demo has no live key to explain with.
      if (action === '/v1/verify/explain') continue;
      const answer =
        form.getAttribute('method') === 'get'
          ? await app.inject({ url: `${action}?${fields}`, headers })
          : await app.inject({
              url: action,
              method: 'POST',
              payload: fields,
              headers: { ...headers, 'content-type': FORM },
            });
      expect([answer.statusCode, answer.json()]).toMatchObject([200, { state: 'deliverable' }]);
    }
    expect.assertions(2);
    await window.happyDOM.close();
  });

  it('leads from /docs to /docs/', async () => {
    const { statusCode, headers } = await startService(DOCS).ask({ url: '/docs' });
    expect([statusCode, headers.location]).toEqual([302, '/docs/']);
  });
});
