/**
 * Settings in the page's address, after the `#`, readable and in any order: `#allow.free=warn&preview=bootstrap`. Only
 * what differs from the beginning is there. Knows no document.
 */

/** What may stand there as it is, and is easier to read so. */
const PLAIN = /%(2C|2F|3A|3B|3D|40|5B|5D|28|29)/g;

/** @param {Record<string, string>} texts by name */
export function toHash(texts) {
  const search = new URLSearchParams(texts).toString();
  return search && `#${search.replace(PLAIN, decodeURIComponent)}`;
}

/**
 * @param {string} hash
 * @param {Map<string, { kind: string, values?: string[] }>} settings all that there are
 * @returns {{ texts: Record<string, string>, complaints: string[] }} what can be used, and a sentence for what can't
 */
export function fromHash(hash, settings) {
  const texts = {};
  const complaints = [];
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ''))) {
    const setting = settings.get(name);
    const wrong = setting
      ? complaintOf(setting, text)
      : `Expected the name of a setting, got “${shortened(name)}”.`;
    if (wrong) complaints.push(setting ? `${name}: ${wrong}` : wrong);
    else texts[name] = text;
  }
  return { texts, complaints };
}

/** A free text may be anything: the widget itself says what it makes of that. */
function complaintOf({ kind, values }, text) {
  const allowed = kind === 'toggle' ? ['true', 'false'] : values;
  if (!allowed) return undefined;
  const items = kind === 'several' ? text.split(',').filter(Boolean) : [text];
  const odd = items.find((item) => !allowed.includes(item));
  if (odd === undefined) return undefined;
  return `Expected ${kind === 'several' ? 'some of' : 'one of'} ${allowed.join(', ')}, got “${shortened(odd)}”.`;
}

const shortened = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
