/** The forms with which a reader of the API's reference tries its endpoints. */
import { type Html, html } from '../../src/service/pages/html.ts';
import { bodyTypesOf, type Endpoint, type Field, parametersOf } from './endpoints.ts';
import { SITE } from './service-values.ts';

/** Sent as it stands by any browser; the page's script shows the answer beside it. */
export function tryForm(
  { path, method, operation }: Endpoint,
  example: Readonly<Record<string, string>>,
): Html {
  const id = operation.operationId;
  const fields = parametersOf(operation);
  const types = bodyTypesOf(operation);
  const own = fields.some(({ name }) => name === 'api_key');
  const key: Field = { name: 'api_key', schema: { type: 'string' }, required: false, description: undefined };
  const shown = (own ? fields : [...fields, key]).filter(({ name }) => name !== 'access_token');
  const places = [types.length > 0 ? 'in the body' : 'in the query', 'in the Authorization header'];
  return html`<form class="try box" id="try-${id}" action="${SITE.link(path)}" method="${method.toLowerCase()}" aria-label="Try ${method} ${path}">
<h3>Try it</h3>
${shown.map((field) => control(`${id}-${field.name}`, field, example[field.name]))}
${types.length > 0 && choice(`${id}-type`, 'Type of body', html`data-type`, types)}
${choice(`${id}-place`, 'The key goes', html`data-place`, places)}
<p><button class="primary">Send</button></p>
<div class="answer" role="status" aria-label="Answer"></div>
</form>`;
}

function control(id: string, { name, schema, required }: Field, given: string | undefined): Html {
  const value = given ?? String(schema.default ?? '');
  const label = html`<label for="${id}"><code>${name}</code></label>`;
  if (schema.type === 'boolean') {
    const choices = ['true', 'false'].map(
      (text) => html`<option${text === value && html` selected`}>${text}</option>`,
    );
    return html`<p>${label} <select id="${id}" name="${name}">${choices}</select></p>\n`;
  }
  if (schema.type === 'integer') {
    return html`<p>${label} <input id="${id}" name="${name}" type="number" min="${schema.minimum}" max="${schema.maximum}" value="${value}"></p>\n`;
  }
  return html`<p>${label} <input id="${id}" name="${name}" value="${value}"${required && html` required`} autocomplete="off" autocapitalize="off" spellcheck="false"></p>\n`;
}

/** For the page's script alone, which shows it: it has no name, and goes nowhere by itself. */
function choice(id: string, label: string, attribute: Html, options: readonly string[]): Html {
  return html`<p hidden><label for="${id}">${label}</label> <select id="${id}" ${attribute}>${options.map(
    (option) => html`<option>${option}</option>`,
  )}</select></p>\n`;
}
