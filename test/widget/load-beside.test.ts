// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadBeside } from '../../src/widget/load-beside.ts';

beforeEach(() => {
  vi.stubGlobal('FACE_INTEGRITY', 'sha256-face');
  vi.stubGlobal('DEBUG_INTEGRITY', 'sha256-debug');
});

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

const BASE = 'https://api.example';

/** Loads a file for a tag with these properties. happy-dom loads nothing, so a test fires the event of the end. */
function load(tag: Partial<HTMLScriptElement>, baseUrl?: string) {
  // happy-dom reports that it loads no scripts.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const empty = { src: '', integrity: '', nonce: '' };
  const loaded = loadBeside({ ...empty, ...tag } as HTMLScriptElement)(baseUrl);
  const script = () => document.querySelector('script');
  return { loaded, script };
}

it('holds the face to its hash without integrity, and the file for debug only with it', () => {
  const src = 'https://widget.example/v2/';
  const hashOf = (tag: Partial<HTMLScriptElement>, baseUrl?: string) => {
    document.body.replaceChildren();
    load({ src, ...tag }, baseUrl).loaded.catch(() => {});
    return document.querySelector('script')?.integrity ?? '';
  };
  expect(hashOf({}, BASE)).toBe('sha256-face');
  expect(hashOf({ integrity: 'sha384-x' }, BASE)).toBe('sha256-face');
  expect(hashOf({})).toBe('');
  expect(hashOf({ integrity: 'sha384-x' })).toBe('sha256-debug');
});

it('loads a module from another origin by a script element with the nonce of the tag', () => {
  const { loaded, script } = load({ src: 'https://widget.example/v2/', nonce: 'n1' }, BASE);
  loaded.catch(() => {});
  expect(script()).toMatchObject({
    type: 'module',
    crossOrigin: '',
    nonce: 'n1',
    src: 'https://widget.example/v2/email-verify-widget-status.js?v=0.0.0',
  });
});

it('takes the folder of the service for the face of a script without an address', () => {
  const { loaded, script } = load({}, `${BASE}/verify//`);
  loaded.catch(() => {});
  expect(script()?.src).toBe(`${BASE}/verify/v2/email-verify-widget-status.js?v=0.0.0`);
});

it('removes the element when the file has run, or has failed', async () => {
  const first = load({ src: 'https://widget.example/v2/' }, BASE);
  first.script()?.dispatchEvent(new Event('load'));
  await first.loaded;
  expect(first.script()).toBeNull();
  const second = load({ src: 'https://widget.example/v2/' }, BASE);
  second.script()?.dispatchEvent(new Event('error'));
  await expect(second.loaded).rejects.toBe(
    'Expected https://widget.example/v2/email-verify-widget-status.js?v=0.0.0.',
  );
  expect(second.script()).toBeNull();
});

it('gives Trusted Types a policy of its own, which allows this file alone', () => {
  const createPolicy = vi.fn((_name: string, rules: { createScriptURL(given: string): string }) => rules);
  vi.stubGlobal('trustedTypes', { createPolicy });
  const { loaded, script } = load({ src: 'https://widget.example/v2/' }, BASE);
  loaded.catch(() => {});
  expect(createPolicy).toHaveBeenCalledTimes(1);
  const [name, rules] = createPolicy.mock.calls[0] ?? [];
  expect(name).toBe('email-verify-widget');
  expect(rules?.createScriptURL('https://evil.example/')).toBe(script()?.src);
});

it('loads nothing if Trusted Types forbid the policy', async () => {
  vi.stubGlobal('trustedTypes', {
    createPolicy() {
      throw new TypeError('Forbidden.');
    },
  });
  const { loaded, script } = load({ src: 'https://widget.example/v2/' }, BASE);
  await expect(loaded).rejects.toThrow('Forbidden.');
  expect(script()).toBeNull();
});
