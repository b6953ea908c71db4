/** Writes the reference of the API, which needs no script to be read. Knows OpenAPI; `api-examples.ts` knows our routes. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { type Html, html } from '../../src/service/pages/html.ts';
import { formValues, sentBy } from './api-examples.ts';
import { LANGUAGES } from './client-code.ts';
import {
  bodyFieldsOf,
  bodyOf,
  bodyTypesOf,
  type Endpoint,
  endpointsOf,
  type Field,
  fieldsOf,
  headerFieldsOf,
  queryFieldsOf,
  type Schema,
  schemasOf,
  webhooksOf,
} from './endpoints.ts';
import type { OutlineEntry } from './markdown.ts';
import { SITE } from './service-values.ts';
import { tryForm } from './try-form.ts';

export function apiReference(document: OpenAPIV3_1.Document): Html {
  const { info, components = {} } = document;
  const schemes = Object.values(components.securitySchemes ?? {}) as OpenAPIV3_1.SecuritySchemeObject[];
  return html`<h1>API reference</h1>
${prose(info.description)}
<p>The same for programs: <a href="${SITE.link('/docs/openapi.json')}">openapi.json</a> (OpenAPI ${document.openapi}), and as a collection for Postman: <a href="${SITE.link('/docs/postman.json')}">postman.json</a>. Set the collection’s variable <code>api_key</code> to your key.</p>
<section id="credentials" aria-labelledby="credentials-title">
<h2 id="credentials-title">Credentials</h2>
<dl>
${schemes.map(
  (scheme) => html`<dt><code>${writtenOf(scheme)}</code></dt><dd>${inline(scheme.description)}</dd>\n`,
)}
</dl>
</section>
${endpointsOf(document).map(endpointSection)}
${webhooksOf(document).map(webhookSection)}
${schemasOf(document).map(([name, schema]) => schemaSection(name, schema))}`;
}

export const apiOutline = (document: OpenAPIV3_1.Document): OutlineEntry[] => [
  { id: 'credentials', title: 'Credentials', level: 2 },
  ...endpointsOf(document).map(({ path, method, operation }) => ({
    id: operation.operationId ?? '',
    title: `${method} ${path}`,
    level: 2,
  })),
  ...webhooksOf(document).map(({ operation: { operationId: id = '', summary: title = '' } }) => ({
    id,
    title,
    level: 2,
  })),
  ...schemasOf(document).map(([name]) => ({ id: name, title: name, level: 2 })),
];

function endpointSection({ path, method, operation }: Endpoint): Html {
  const { operationId: id = '', summary, description, responses = {} } = operation;
  const types = bodyTypesOf(operation);
  const inQuery = queryFieldsOf(operation);
  const inBody = bodyFieldsOf(operation);
  const takesKey = (operation.security ?? []).length > 0;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><code>${method} ${path}</code> ${summary}</h2>
${prose(description)}
${inQuery.length > 0 && table(`Parameters of ${method} ${path}, in the query`, inQuery)}
${inBody.length > 0 && table(`Parameters of ${method} ${path}, in the body`, inBody)}
${types.length > 0 && html`<p>Types of body: ${types.map((type, index) => html`${index > 0 && ', '}<code>${type}</code>`)}.</p>`}
${takesKey && tryForm({ path, method, operation }, formValues(path))}
${clientCode({ path, method, operation })}
<h3>Answers</h3>
${Object.entries(responses).map(([status, response]) =>
  answer(status, response as OpenAPIV3_1.ResponseObject, `${method} ${path}`),
)}
</section>
`;
}

/** The code of a request in each language, of which one is open at a time. */
function clientCode({ path, method, operation }: Endpoint): Html | undefined {
  const { operationId: id = '', responses = {} } = operation;
  const example = sentBy(id);
  if (!example) return undefined;
  const url = `@@origin@@${SITE.link(path)}`;
  const request = { method, url, ...example, mayTakeLonger: '249' in responses };
  return html`<h3>Code</h3>
${LANGUAGES.map(
  (language) => html`<details name="code-${id}">
<summary>${language.name}</summary>
<div class="code"><pre tabindex="0"><code class="language-${language.id}"@@isSomewhere@@>${language.write(request)}</code></pre></div>
</details>
`,
)}`;
}

/** A request that the service sends. Nobody can try it here. */
function webhookSection({ path, method, operation }: Endpoint): Html {
  const { operationId: id = '', summary, description, responses = {} } = operation;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><code>${path}</code> ${summary}</h2>
${prose(description)}
${table(`Headers of ${method} ${path}`, headerFieldsOf(operation))}
${jsonBody(bodyOf(operation)?.content)}
<h3>Answers that the service expects</h3>
${Object.entries(responses).map(([status, response]) =>
  answer(status, response as OpenAPIV3_1.ResponseObject, `${method} ${path}`),
)}
</section>
`;
}

function table(caption: string, fields: readonly Field[]): Html {
  return html`<div class="wide scroll" role="region" aria-label="${caption}" tabindex="0">
<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fields.map(
  ({ name, schema, required, description }) =>
    html`<tr><th scope="row"><code>${name}</code></th><td>${typeOf(schema)}${required ? ', required' : ''}</td><td>${inline(description)}</td></tr>\n`,
)}
</tbody>
</table>
</div>`;
}

/** @param request such as `GET /v1/verify` */
function answer(status: string, response: OpenAPIV3_1.ResponseObject, request: string): Html {
  const headers = Object.entries(response.headers ?? {}) as [string, OpenAPIV3_1.HeaderObject][];
  return html`<details>
<summary><b>${status}</b> ${inline(response.description)}</summary>
${jsonBody(response.content)}
${
  headers.length > 0
    ? table(
        `Headers of a ${status} of ${request}`,
        headers.map(([header, { schema, description }]) => ({
          name: header,
          schema: schema as Schema,
          required: false,
          description,
        })),
      )
    : ''
}
</details>
`;
}

function jsonBody(content: OpenAPIV3_1.ResponseObject['content']): Html {
  const { schema, examples = {} } = content?.['application/json'] ?? {};
  const name = (schema as { $ref?: string } | undefined)?.$ref?.replace(/^.*\//, '');
  return html`${name === undefined ? '' : html`<p>Body: <a href="#${name}">${name}</a></p>`}
${(Object.values(examples) as OpenAPIV3_1.ExampleObject[]).map(
  ({ summary, value }) =>
    html`<figure><figcaption>${inline(summary)}</figcaption><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></figure>\n`,
)}`;
}

function schemaSection(name: string, schema: Schema): Html {
  // Every field of an answer is always there.
  const fields = fieldsOf(schema).map((field) => ({ ...field, required: false }));
  return html`<section id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${name}</h2>
${table(`Fields of ${name}`, fields)}
</section>
`;
}

/** A schema's type as a reader says it. */
function typeOf(schema: Schema): Html {
  if (schema.enum)
    return html`${schema.enum.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)}`;
  const bounds = schema.minimum === undefined ? '' : ` from ${schema.minimum} to ${schema.maximum}`;
  const standard =
    schema.default === undefined ? '' : html`, by default <code>${String(schema.default)}</code>`;
  return html`${[schema.type].flat().join(' or ')}${bounds}${standard}`;
}

function writtenOf(scheme: OpenAPIV3_1.SecuritySchemeObject): string {
  return scheme.type === 'apiKey' ? `?${scheme.name}=…` : 'Authorization: Bearer …';
}

/** Paragraphs of text. */
function prose(text = ''): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>\n`)}`;
}

/** Of Markdown, what the descriptions have: code. */
function inline(text = ''): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
