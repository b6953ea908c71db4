/** Reads a proof, and falsifies it. Verifies nothing: that is the work of `email-verify-widget/server`. */

/**
 * The parts of a proof (a compact JWS) that people can read.
 *
 * @returns undefined for a text that is not one
 */
export function readToken(text) {
  const [head, body] = text.split('.');
  try {
    return { header: decode(head), claims: decode(body) };
  } catch {
    return undefined;
  }
}

/** By the value of the button: makes a false proof of a text with three parts. */
export const CHANGES = {
  /** The first of the signature, because the last one has bits that do not count. */
  character: ([head, body, tail]) => [head, body, (tail.startsWith('A') ? 'B' : 'A') + tail.slice(1)],
  score: ([head, body, tail]) => [
    head,
    changed(body, ({ score }) => ({ score: score === 100 ? 99 : 100 })),
    tail,
  ],
  algorithm: ([head, ...rest]) => [changed(head, () => ({ alg: 'none' })), ...rest],
  key: ([head, ...rest]) => [changed(head, () => ({ kid: 'another' })), ...rest],
};

/** @param {keyof typeof CHANGES} change */
export const falsify = (text, change) => CHANGES[change](text.split('.')).join('.');

function changed(part, change) {
  const content = decode(part);
  return encode({ ...content, ...change(content) });
}

function decode(part) {
  const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

function encode(content) {
  const bytes = new TextEncoder().encode(JSON.stringify(content));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
