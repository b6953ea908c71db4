/**
 * Sends the forms of the API reference, and shows the responses next to them. Without this script, browsers send the forms
 * as usual. Puts the URL of this service into the code.
 */

for (const form of document.querySelectorAll('form.try')) {
  for (const row of form.querySelectorAll('[hidden]')) row.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

// The page does not know where it is if the config has no public URL.
for (const code of document.querySelectorAll('code[data-origin]'))
  code.textContent = code.textContent.replaceAll(code.dataset.origin, location.origin);

async function send(form) {
  const { url, init } = requestOf(form);
  const answer = form.querySelector('.answer');
  answer.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    answer.replaceChildren(
      line('p', `${response.status} ${response.statusText}`),
      line('pre', headersOf(response)),
      line('pre', inLines(text)),
    );
  } catch {
    answer.replaceChildren(line('p', 'The service cannot be reached. Is it still running?'));
  }
  answer.removeAttribute('aria-busy');
}

/** Empty fields are not sent. */
function requestOf(form) {
  const url = new URL(form.action);
  const fields = [...new FormData(form)].filter(([, value]) => value !== '');
  const headers = {};
  if (form.querySelector('[data-place]').selectedIndex === 1) {
    const at = fields.findIndex(([name]) => name === 'api_key');
    if (at >= 0) headers.Authorization = `Bearer ${fields.splice(at, 1)[0][1]}`;
  }
  if (form.method === 'get') {
    url.search = new URLSearchParams(fields);
    return { url, init: { headers } };
  }
  return { url, init: { method: 'POST', ...bodyOf(form, fields, headers) } };
}

function bodyOf(form, fields, headers) {
  const type = form.querySelector('[data-type]').value;
  if (type === 'application/json') {
    headers['Content-Type'] = type;
    const typed = fields.map(([name, value]) => [name, jsonOf(form.elements[name], value)]);
    return { headers, body: JSON.stringify(Object.fromEntries(typed)) };
  }
  if (type !== 'multipart/form-data') return { headers, body: new URLSearchParams(fields) };
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return { headers, body };
}

/** As JSON has it: a number is no text. */
function jsonOf(control, text) {
  return control.type === 'number' || control.type === 'select-one' ? JSON.parse(text) : text;
}

function headersOf(response) {
  return [...response.headers]
    .filter(([name]) => /^(content-type|retry-after|ratelimit-|allow$)/.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function inLines(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function line(tag, text) {
  const element = document.createElement(tag);
  if (tag === 'pre') element.tabIndex = 0;
  element.textContent = text;
  return element;
}
