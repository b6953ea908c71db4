// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask, FORM, JOE, openPage, stateOf } from './page-under-test.ts';
import { resultOf, settle } from './scripted-fetch.ts';

type Scope = Record<string, unknown> & { emailVerify: (...given: unknown[]) => unknown };
const scope = window as unknown as Scope;

/** Runs the script as a script tag does: each time anew. happy-dom has no document.currentScript to tell which tag. */
async function loadScript(attributes = '') {
  const holder = document.createElement('template');
  holder.innerHTML = `<script src="https://widget.example:8443/v2/" ${attributes}></script>`;
  Object.defineProperty(Document.prototype, 'currentScript', {
    configurable: true,
    get: () => holder.content.querySelector('script'),
  });
  vi.resetModules();
  await import('../../src/widget/main.ts');
}

beforeEach(() => {
  for (const name of ['emailVerify', 'check', 'EmailVerifyObject']) delete scope[name];
});
afterEach(() => {
  const name = typeof scope.EmailVerifyObject === 'string' ? scope.EmailVerifyObject : 'emailVerify';
  (scope[name] as Scope['emailVerify'])('destroy');
  // main.ts leaves its mark for the life of the page.
  delete (window as unknown as { [mark: symbol]: unknown })[Symbol.for('email-verify-widget')];
  delete (Document.prototype as { currentScript?: unknown }).currentScript;
});

async function verify(page: ReturnType<typeof openPage>) {
  await ask(page.input());
  await page.service.last.answer(200, resultOf(JOE));
}

describe('the script', () => {
  it('runs calls that were made before it loaded', async () => {
    const page = openPage(FORM);
    const q = [['apiKey', 'test_queued'], [{ baseUrl: 'https://api.example' }]];
    scope.emailVerify = Object.assign(() => {}, { q });
    await loadScript();
    await verify(page);
    expect(page.service.last.parameters.api_key).toBe('test_queued');
    expect(stateOf(page.input())).toBe('accepted');
  });

  it('has a version', async () => {
    openPage(FORM);
    await loadScript();
    expect(scope.emailVerify).toHaveProperty('version', '0.0.0');
  });

  it('can be called after it has loaded, and returns the promise of verify', async () => {
    const page = openPage(FORM);
    await loadScript();
    scope.emailVerify('apiKey', 'test_public');
    scope.emailVerify({ baseUrl: 'https://api.example' });
    page.input().value = JOE;
    const promise = scope.emailVerify('verify', page.input());
    await settle();
    await page.service.last.answer(200, resultOf(JOE));
    expect(await promise).toMatchObject({ accepted: true });
  });

  it('has the name that the page chose', async () => {
    openPage(FORM);
    scope.EmailVerifyObject = 'check';
    await loadScript();
    expect(scope.check).toBeTypeOf('function');
    expect(scope.emailVerify).toBeUndefined();
  });

  it('has its own name if the page’s name is not a string', async () => {
    openPage(FORM);
    scope.EmailVerifyObject = { name: 'check' };
    await loadScript();
    expect(scope.emailVerify).toBeTypeOf('function');
  });

  it('loaded twice warns, and the second copy does nothing', async () => {
    const page = openPage(FORM);
    scope.emailVerify = Object.assign(() => {}, {
      q: [['apiKey', 'test_first'], [{ baseUrl: 'https://api.example' }]],
    });
    await loadScript();
    const first = scope.emailVerify;
    expect(page.warn).not.toHaveBeenCalled();
    await loadScript();
    expect(page.warn).toHaveBeenCalledTimes(1);
    expect(scope.emailVerify).toBe(first);
    await verify(page);
    expect(page.service.requests).toHaveLength(1);
  });

  it('sends requests to its own origin', async () => {
    const page = openPage(FORM);
    await loadScript('data-api-key="test_tag"');
    await verify(page);
    expect(page.service.last.url.origin).toBe('https://widget.example:8443');
    expect(page.service.last.parameters.api_key).toBe('test_tag');
  });

  it('takes every option from its tag, as JSON or else as a string, and calls override them', async () => {
    const page = openPage(FORM);
    scope.emailVerify = Object.assign(() => {}, { q: [['method', 'GET']] });
    await loadScript(`data-api-key="123" data-base-url="https://api.example" data-verification-timeout="7"
      data-allow='{"free": false}' data-method="POST" data-ignored-inputs='["cc"]'`);
    await ask(page.input());
    expect(page.service.last.init.method).toBe('GET');
    expect(page.service.last.url.origin).toBe('https://api.example');
    expect(page.service.last.parameters).toMatchObject({ api_key: '123', timeout: '7' });
    await page.service.last.answer(200, resultOf(JOE, { free: true }));
    expect(stateOf(page.input())).toBe('rejected');
    expect(page.warn).not.toHaveBeenCalled();
  });
});
