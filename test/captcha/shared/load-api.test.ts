// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadApi } from '../../../src/captcha/shared/load-api.ts';

let api: object | undefined;
const SOURCE = { src: 'https://captcha.example/api.js', known: 'captcha.example/', api: () => api };

const scripts = () => [...document.querySelectorAll<HTMLScriptElement>('script[src]')];

beforeEach(() => {
  vi.useFakeTimers();
  api = undefined;
  document.head.replaceChildren();
  // No file is loaded here.
  const window = globalThis as unknown as { happyDOM?: { settings: Record<string, boolean> } };
  Object.assign(window.happyDOM?.settings ?? {}, {
    disableJavaScriptFileLoading: true,
    handleDisabledFileLoadingAsSuccess: true,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a provider’s script', () => {
  it('is not loaded if the page has it', async () => {
    api = {};
    await expect(loadApi(SOURCE, {})).resolves.toBe(api);
    expect(scripts()).toEqual([]);
  });

  it('is awaited if the page is already loading it', async () => {
    const own = document.createElement('script');
    own.src = 'https://eu.captcha.example/api.js?render=explicit';
    document.head.append(own);
    const loaded = loadApi(SOURCE, {});
    await vi.advanceTimersByTimeAsync(500);
    api = {};
    await vi.advanceTimersByTimeAsync(50);
    await expect(loaded).resolves.toBe(api);
    expect(scripts()).toEqual([own]);
  });

  it('is loaded once for two callers, from another URL and with a nonce if given', async () => {
    const both = Promise.all([1, 2].map(() => loadApi(SOURCE, { src: '/own.js', nonce: 'n1' })));
    const [script, ...more] = scripts();
    expect(more).toEqual([]);
    expect(script!.getAttribute('src')).toBe('/own.js');
    expect(script!.nonce).toBe('n1');
    api = {};
    await vi.advanceTimersByTimeAsync(50);
    await expect(both).resolves.toEqual([api, api]);
  });

  it.each([
    ['the hash of its fixed version', {}, 'sha384-known'],
    ['no hash when the page names another address', { src: '/own.js' }, ''],
    [
      'the hash that the page names for its own address',
      { src: '/own.js', integrity: 'sha384-own' },
      'sha384-own',
    ],
    ['no hash when the page turns the check off', { integrity: '' }, ''],
  ])('has %s', async (_, options, integrity) => {
    const loaded = loadApi({ ...SOURCE, integrity: 'sha384-known' }, options);
    const script = scripts()[0]!;
    expect(script.getAttribute('integrity') ?? '').toBe(integrity);
    // Without it, a browser cannot check a file of another origin.
    expect(script.hasAttribute('crossorigin')).toBe(integrity !== '');
    api = {};
    await vi.advanceTimersByTimeAsync(50);
    await loaded;
  });

  it('without a fixed version has no hash', async () => {
    const loaded = loadApi(SOURCE, {});
    expect(scripts()[0]!.hasAttribute('integrity')).toBe(false);
    expect(scripts()[0]!.hasAttribute('crossorigin')).toBe(false);
    api = {};
    await vi.advanceTimersByTimeAsync(50);
    await loaded;
  });

  it('that does not load fails, and is tried again for the next request', async () => {
    const failed = expect(loadApi(SOURCE, {})).rejects.toThrow(
      'could not load https://captcha.example/api.js',
    );
    scripts()[0]!.dispatchEvent(new Event('error'));
    await failed;
    expect(scripts()).toEqual([]);
    const late = expect(loadApi(SOURCE, {})).rejects.toThrow('could not load');
    await vi.advanceTimersByTimeAsync(31_000);
    await late;
    expect(scripts()).toEqual([]);
  });
});
