// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadBeside } from '../../src/widget/load-beside.ts';

beforeEach(() => {
  vi.stubGlobal('FACE_INTEGRITY', 'sha256-face');
  vi.stubGlobal('DEBUG_INTEGRITY', 'sha256-debug');
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const BASE = 'https://api.example';

/**
 * Loads a file for a tag with these properties.
 *
 * @returns the script element. It is in no document, because happy-dom would report at once that it loads nothing
 */
function load(tag: Partial<HTMLScriptElement>, baseUrl?: string) {
  const parent = document.createDocumentFragment();
  const { appendChild } = Node.prototype;
  const append = vi.spyOn(Node.prototype, 'appendChild');
  append.mockImplementation((child) => appendChild.call(parent, child) as typeof child);
  const empty = { src: '', integrity: '', nonce: '' };
  const loaded = loadBeside({ ...empty, ...tag } as HTMLScriptElement)(baseUrl);
  append.mockRestore();
  return { loaded, parent, script: parent.querySelector('script') };
}

const SRC = 'https://widget.example/v2/';

it('holds the face to its hash without integrity, and the file for debug only with it', () => {
  const hashOf = (integrity: string, baseUrl?: string) =>
    load({ src: SRC, integrity }, baseUrl).script?.integrity;
  expect(hashOf('', BASE)).toBe('sha256-face');
  expect(hashOf('sha384-x', BASE)).toBe('sha256-face');
  expect(hashOf('')).toBe('');
  expect(hashOf('sha384-x')).toBe('sha256-debug');
});

it('loads a module from another origin by a script element with the nonce of the tag', () => {
  const { script } = load({ src: SRC, nonce: 'n1' }, BASE);
  expect(script).toMatchObject({
    type: 'module',
    crossOrigin: '',
    nonce: 'n1',
    src: `${SRC}email-verify-widget-status.js?v=0.0.0`,
  });
});

it('takes the folder of the service for the face of a script without an address', () => {
  const { script } = load({}, `${BASE}/verify//`);
  expect(script?.src).toBe(`${BASE}/verify/v2/email-verify-widget-status.js?v=0.0.0`);
});

it('removes the element when the file has run, or has failed', async () => {
  const first = load({ src: SRC }, BASE);
  first.script?.dispatchEvent(new Event('load'));
  await first.loaded;
  expect(first.parent.childNodes).toHaveLength(0);
  const second = load({ src: SRC }, BASE);
  second.script?.dispatchEvent(new Event('error'));
  await expect(second.loaded).rejects.toBe(
    `Expected ${SRC}email-verify-widget-status.js?v=0.0.0, got none or another. Serve the files of one build.`,
  );
  expect(second.parent.childNodes).toHaveLength(0);
});

it('gives Trusted Types a policy of its own, which allows this file alone', () => {
  const createPolicy = vi.fn((_name: string, rules: { createScriptURL(given: string): string }) => rules);
  vi.stubGlobal('trustedTypes', { createPolicy });
  const { script } = load({ src: SRC }, BASE);
  expect(createPolicy).toHaveBeenCalledTimes(1);
  const [name, rules] = createPolicy.mock.calls[0] ?? [];
  expect(name).toBe('email-verify-widget');
  expect(rules?.createScriptURL('https://evil.example/')).toBe(script?.src);
});

it('loads nothing if Trusted Types forbid the policy', async () => {
  vi.stubGlobal('trustedTypes', {
    createPolicy() {
      throw new TypeError('Forbidden.');
    },
  });
  const { loaded, script } = load({ src: SRC }, BASE);
  await expect(loaded).rejects.toThrow('Forbidden.');
  expect(script).toBeNull();
});
