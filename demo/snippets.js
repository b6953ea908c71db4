/** The options as an author would write them: as attributes of the script tag, and as calls. Text only. */

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** As people write it: `{ free: false, role: 'warn' }`. */
function literal(value) {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value !== Object(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{ ${members.join(', ')} }`;
}

/** @param {Record<string, unknown>} options those that differ from the defaults */
export function asTag(options) {
  const attributes = Object.entries(options).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const quote = text.includes('"') ? "'" : '"';
    return `\n  data-${kebab(name)}=${quote}${text}${quote}`;
  });
  return `<script async src="${location.origin}/v2/"\n  data-api-key="test_public_demo"${attributes.join('')}></script>`;
}

/** @param {Record<string, unknown>} options those that differ from the defaults */
export function asCalls(options) {
  return Object.entries({ apiKey: 'test_public_demo', ...options })
    .map(([name, value]) => `emailVerify('${name}', ${literal(value)});`)
    .join('\n');
}
