/** Writes the documentation as one page, which needs no script to be read. Knows OpenAPI, and nothing of our routes. */
import type { OpenAPIV3_1 } from 'openapi-types';

type Schema = OpenAPIV3_1.SchemaObject;
type Operation = OpenAPIV3_1.OperationObject;
type Parameter = OpenAPIV3_1.ParameterObject;

/** The methods in the order in which they are shown. */
const METHODS = ['get', 'post', 'options'] as const;

/** HTML that is already escaped, as distinct from text that must be escaped. */
class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly Part[];

/** Escapes all values, except HTML that was written here. */
function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((before, after, index) => before + write(parts[index - 1]) + after));
}

function write(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(write).join('');
  return String(part).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** @param example what the forms of a path hold to begin with, by a parameter's name */
export function documentationPage(
  document: OpenAPIV3_1.Document,
  example: (path: string) => Readonly<Record<string, string>>,
): string {
  const { info, paths = {}, components = {} } = document;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ path, method: method.toUpperCase(), operation }] : [];
    }),
  );
  const schemes = Object.entries(components.securitySchemes ?? {}) as [
    string,
    OpenAPIV3_1.SecuritySchemeObject,
  ][];
  const schemas = Object.entries(components.schemas ?? {}) as [string, Schema][];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${info.title}: the service</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<header>
<nav aria-label="Site">
<a href="/">Demo</a> <a href="/reference/">Module</a> <a href="/docs/" aria-current="page">Service</a>
</nav>
</header>
<main>
<h1>${info.title}</h1>
${prose(info.description)}
<p>The same for programs: <a href="/docs/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
<nav aria-label="Contents">
<ul>
<li><a href="#credentials">Credentials</a></li>
${operations.map(
  ({ path, method, operation }) =>
    html`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a> ${operation.summary}</li>\n`,
)}
${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>\n`)}
</ul>
</nav>
<section id="credentials" aria-labelledby="credentials-title">
<h2 id="credentials-title">Credentials</h2>
<dl>
${schemes.map(
  ([, scheme]) => html`<dt><code>${writtenOf(scheme)}</code></dt><dd>${inline(scheme.description)}</dd>\n`,
)}
</dl>
</section>
${operations.map(({ path, method, operation }) => operationSection(path, method, operation, example))}
${schemas.map(([name, schema]) => schemaSection(name, schema))}
</main>
</body>
</html>
`.text;
}

function operationSection(
  path: string,
  method: string,
  operation: Operation,
  example: (path: string) => Readonly<Record<string, string>>,
): Html {
  const { operationId: id = '', summary, description, responses = {} } = operation;
  const parameters = (operation.parameters ?? []) as Parameter[];
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
  const types = Object.keys(body?.content ?? {});
  const bodyFields = fieldsOf(body?.content[types[0]!]?.schema as Schema | undefined);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(fieldOf);
  const takesKey = (operation.security ?? []).length > 0;
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><code>${method} ${path}</code> ${summary}</h2>
${prose(description)}
${inQuery.length > 0 ? table(`Parameters of ${method} ${path}, in the query`, inQuery) : ''}
${bodyFields.length > 0 ? table(`Parameters of ${method} ${path}, in the body`, bodyFields) : ''}
${types.length > 0 ? html`<p>Types of body: ${types.map((type, index) => html`${index > 0 ? ', ' : ''}<code>${type}</code>`)}.</p>` : ''}
${takesKey ? tryIt(id, path, method, bodyFields.length > 0 ? bodyFields : inQuery, types, example(path)) : ''}
<h3>Answers</h3>
${Object.entries(responses).map(([status, response]) =>
  answer(status, response as OpenAPIV3_1.ResponseObject),
)}
</section>
`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description: string | undefined;
}

function fieldOf({ name, schema, required = false, description }: Parameter): Field {
  return { name, schema: schema as Schema, required, description };
}

function fieldsOf(schema: Schema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property as Schema,
    required: schema?.required?.includes(name) ?? false,
    description: property.description,
  }));
}

function table(caption: string, fields: readonly Field[]): Html {
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0">
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

/** A form that works without scripts. The page's script shows the response next to it. */
function tryIt(
  id: string,
  path: string,
  method: string,
  fields: readonly Field[],
  types: readonly string[],
  example: Readonly<Record<string, string>>,
): Html {
  const own = fields.some(({ name }) => name === 'api_key');
  const key: Field = { name: 'api_key', schema: { type: 'string' }, required: false, description: undefined };
  const shown = (own ? fields : [...fields, key]).filter(({ name }) => name !== 'access_token');
  return html`<form id="try-${id}" action="${path}" method="${method.toLowerCase()}" aria-label="Try ${method} ${path}">
<h3>Try it</h3>
${shown.map((field) => control(`${id}-${field.name}`, field, example[field.name]))}
${types.length > 0 ? choice(`${id}-type`, 'Type of body', 'data-type', types) : ''}
${choice(`${id}-place`, 'The key goes', 'data-place', types.length > 0 ? ['in the body', 'in the Authorization header'] : ['in the query', 'in the Authorization header'])}
<p><button>Send</button></p>
<div class="answer" role="status" aria-label="Answer"></div>
</form>`;
}

function control(id: string, { name, schema, required }: Field, given: string | undefined): Html {
  const value = given ?? String(schema.default ?? '');
  const label = html`<label for="${id}"><code>${name}</code></label>`;
  if (schema.type === 'boolean') {
    const choices = ['true', 'false'].map(
      (text) => html`<option${text === value ? ' selected' : ''}>${text}</option>`,
    );
    return html`<p>${label} <select id="${id}" name="${name}">${choices}</select></p>\n`;
  }
  if (schema.type === 'integer') {
    return html`<p>${label} <input id="${id}" name="${name}" type="number" min="${schema.minimum}" max="${schema.maximum}" value="${value}"></p>\n`;
  }
  return html`<p>${label} <input id="${id}" name="${name}" value="${value}"${required ? ' required' : ''} autocomplete="off" autocapitalize="off" spellcheck="false"></p>\n`;
}

/** For the page's script only. It has no name, so the form does not send it. */
function choice(id: string, label: string, attribute: string, options: readonly string[]): Html {
  return html`<p hidden><label for="${id}">${label}</label> <select id="${id}" ${attribute}>${options.map(
    (option) => html`<option>${option}</option>`,
  )}</select></p>\n`;
}

function answer(status: string, response: OpenAPIV3_1.ResponseObject): Html {
  const headers = Object.entries(response.headers ?? {}) as [string, OpenAPIV3_1.HeaderObject][];
  const content = response.content?.['application/json'];
  const examples = Object.values(content?.examples ?? {}) as OpenAPIV3_1.ExampleObject[];
  const name = (content?.schema as { $ref?: string } | undefined)?.$ref?.replace(/^.*\//, '');
  return html`<details>
<summary><b>${status}</b> ${inline(response.description)}</summary>
${name === undefined ? '' : html`<p>Body: <a href="#${name}">${name}</a></p>`}
${examples.map(
  ({ summary, value }) =>
    html`<figure><figcaption>${inline(summary)}</figcaption><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></figure>\n`,
)}
${
  headers.length > 0
    ? table(
        `Headers of a ${status}`,
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

function schemaSection(name: string, schema: Schema): Html {
  // Every field of a response is always present.
  const fields = fieldsOf(schema).map((field) => ({ ...field, required: false }));
  return html`<section id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${name}</h2>
${table(`Fields of ${name}`, fields)}
</section>
`;
}

/** A schema's type in words. */
function typeOf(schema: Schema): Html {
  if (schema.enum)
    return html`${schema.enum.map((value, index) => html`${index > 0 ? ', ' : ''}<code>${value}</code>`)}`;
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

/** The only Markdown that descriptions use: code. */
function inline(text = ''): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
