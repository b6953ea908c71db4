// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { altcha, type CaptchaFunction } from '../../src/captcha/altcha.ts';
import { friendlyCaptcha } from '../../src/captcha/friendly-captcha.ts';
import { hcaptcha } from '../../src/captcha/hcaptcha.ts';
import { recaptchaEnterprise } from '../../src/captcha/recaptcha-enterprise.ts';
import { recaptchaV2 } from '../../src/captcha/recaptcha-v2.ts';
import { recaptchaV3 } from '../../src/captcha/recaptcha-v3.ts';
import { recaptchaOf } from '../../src/captcha/shared/recaptcha.ts';
import { turnstile } from '../../src/captcha/turnstile.ts';

const scope = window as unknown as Record<string, unknown>;
const input = document.createElement('input');
const failure = (of: Promise<string>) => expect(of).rejects.toThrow(/fail|Invalid/);

type Parameters = Record<string, unknown> &
  Record<'callback' | 'error-callback' | 'expired-callback', (value?: unknown) => unknown>;
/** What a render was given. */
const given = (render: { mock: { calls: unknown[][] } }, call = 0) =>
  render.mock.calls[call]![1] as Parameters;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.replaceChildren(input);
});
afterEach(() => {
  vi.useRealTimers();
  for (const name of ['turnstile', 'hcaptcha', 'grecaptcha', 'frcaptcha']) delete scope[name];
});
const passed = () => vi.advanceTimersByTimeAsync(0);

describe('Turnstile', () => {
  it('is rendered without a field, with the page’s further options, and removed', async () => {
    const api = { render: vi.fn((..._: unknown[]) => 'id'), remove: vi.fn() };
    scope.turnstile = api;
    const token = turnstile({ sitekey: 'key', params: { theme: 'dark', sitekey: 'other' } })(input);
    await passed();
    const parameters = given(api.render);
    expect(parameters).toMatchObject({
      sitekey: 'key',
      theme: 'dark',
      appearance: 'interaction-only',
      'response-field': false,
    });
    expect(api.remove).not.toHaveBeenCalled();
    parameters.callback('token');
    await expect(token).resolves.toBe('token');
    expect(api.remove.mock.calls).toEqual([['id']]);
  });

  it('fails with its errors, which it handles, and if it is not rendered', async () => {
    const api = { render: vi.fn((..._: unknown[]): string | undefined => 'id'), remove: vi.fn() };
    scope.turnstile = api;
    const captcha = turnstile({ sitekey: 'key' });
    for (const callback of ['error-callback', 'timeout-callback', 'unsupported-callback']) {
      const failed = failure(captcha(input));
      await passed();
      expect((given(api.render, api.render.mock.calls.length - 1)[callback] as () => unknown)()).toBe(true);
      await failed;
    }
    api.render.mockReturnValue(undefined);
    await failure(captcha(input));
  });
});

describe('hCaptcha', () => {
  it('is rendered invisible, executed by its id, and removed', async () => {
    const api = {
      render: vi.fn((..._: unknown[]) => 'id'),
      execute: vi.fn(async (..._: unknown[]) => ({ response: 'token' })),
      remove: vi.fn(),
    };
    scope.hcaptcha = api;
    await expect(hcaptcha({ sitekey: 'key', params: { hl: 'de' } })(input)).resolves.toBe('token');
    expect(given(api.render)).toMatchObject({ sitekey: 'key', size: 'invisible', hl: 'de' });
    expect(api.execute.mock.calls).toEqual([['id', { async: true }]]);
    expect(api.remove.mock.calls).toEqual([['id']]);
  });

  it('fails when the visitor closes the challenge', async () => {
    scope.hcaptcha = { render: () => 'id', execute: () => Promise.reject('challenge-closed'), remove() {} };
    await expect(hcaptcha({ sitekey: 'key' })(input)).rejects.toThrow('challenge-closed');
  });
});

/** reCAPTCHA, as far as it is asked. */
const grecaptcha = () => {
  let made = 0;
  return {
    ready: (then: () => void) => then(),
    render: vi.fn((..._: unknown[]) => made++),
    reset: vi.fn(),
    execute: vi.fn((..._: unknown[]): unknown => undefined),
  };
};

describe('reCAPTCHA v2', () => {
  it('has ids of its own, is rendered once and reset for each further token', async () => {
    const api = grecaptcha();
    scope.grecaptcha = api;
    const captcha = recaptchaV2({ sitekey: 'key', params: { badge: 'bottomleft' } });
    for (const expected of ['one', 'two']) {
      const token = captcha(input);
      await passed();
      given(api.render).callback(expected);
      await expect(token).resolves.toBe(expected);
    }
    expect(api.render).toHaveBeenCalledTimes(1);
    expect(given(api.render)).toMatchObject({ isolated: true, size: 'invisible', badge: 'bottomleft' });
    expect(api.execute.mock.calls).toEqual([[0], [0]]);
    expect(api.reset.mock.calls).toEqual([[0]]);
    expect((api.render.mock.calls[0]![0] as HTMLElement).isConnected).toBe(true);
  });

  it('is rendered again if the page has removed its element', async () => {
    const api = grecaptcha();
    scope.grecaptcha = api;
    const captcha = recaptchaV2({ sitekey: 'key' });
    for (const call of [0, 1]) {
      const token = captcha(input);
      await passed();
      given(api.render, call).callback('token');
      await token;
      document.body.replaceChildren(input);
    }
    expect(api.render).toHaveBeenCalledTimes(2);
    expect(api.reset).not.toHaveBeenCalled();
  });

  it('fails with its errors', async () => {
    const api = grecaptcha();
    scope.grecaptcha = api;
    const failed = failure(recaptchaV2({ sitekey: 'key' })(input));
    await passed();
    given(api.render)['error-callback']();
    await failed;
  });

  it('is not hCaptcha under its name', () => {
    // hCaptcha's, which has no ready().
    scope.grecaptcha = { render() {}, execute() {} };
    expect(recaptchaOf('classic')).toBeUndefined();
    expect(recaptchaOf('enterprise')).toBeUndefined();
  });
});

describe('reCAPTCHA’s scores', () => {
  it('come from the key, with an action', async () => {
    const api = grecaptcha();
    api.execute.mockImplementation(async () => 'token');
    scope.grecaptcha = { ...api, enterprise: api };
    await expect(recaptchaV3({ sitekey: 'key' })(input)).resolves.toBe('token');
    await expect(recaptchaEnterprise({ sitekey: 'key', action: 'sign_up' })(input)).resolves.toBe('token');
    expect(api.execute.mock.calls).toEqual([
      ['key', { action: 'email_verify' }],
      ['key', { action: 'sign_up' }],
    ]);
    expect(api.render).not.toHaveBeenCalled();
  });

  it('fail if the page has loaded reCAPTCHA for another key', async () => {
    const api = grecaptcha();
    api.execute.mockImplementation(() => {
      throw new Error('Invalid site key or not loaded in api.js: key');
    });
    scope.grecaptcha = api;
    await failure(recaptchaV3({ sitekey: 'key' })(input));
  });
});

it('shows a checkbox for a checkbox key of reCAPTCHA Enterprise', async () => {
  const api = grecaptcha();
  scope.grecaptcha = { enterprise: api };
  const token = recaptchaEnterprise({ sitekey: 'key', size: 'compact' })(input);
  await passed();
  const [home] = api.render.mock.calls[0] as [HTMLElement];
  expect(given(api.render)).toMatchObject({ size: 'compact', action: 'email_verify' });
  expect(given(api.render)).not.toHaveProperty('isolated');
  expect(home.hidden).toBe(false);
  given(api.render).callback('token');
  await expect(token).resolves.toBe('token');
  expect(home.hidden).toBe(true);
  expect(api.execute).not.toHaveBeenCalled();
});

describe('Friendly Captcha', () => {
  const sdk = () => {
    const target = new EventTarget();
    const handle = { addEventListener: target.addEventListener.bind(target), destroy: vi.fn() };
    const createWidget = vi.fn((..._: unknown[]) => handle);
    scope.frcaptcha = { createWidget };
    const fire = (name: string, detail: object) => target.dispatchEvent(new CustomEvent(name, { detail }));
    return { handle, createWidget, fire };
  };

  it('starts at once, without a field, and is destroyed', async () => {
    const { handle, createWidget, fire } = sdk();
    const token = friendlyCaptcha({ sitekey: 'key', params: { apiEndpoint: 'eu' } })(input);
    await passed();
    expect(createWidget.mock.calls[0]).toEqual([
      {
        apiEndpoint: 'eu',
        element: expect.any(HTMLElement),
        sitekey: 'key',
        startMode: 'auto',
        formFieldName: null,
      },
    ]);
    fire('frc:widget.complete', { response: 'token' });
    await expect(token).resolves.toBe('token');
    expect(handle.destroy).toHaveBeenCalledTimes(1);
  });

  it('fails with its errors', async () => {
    const { handle, fire } = sdk();
    const failed = failure(friendlyCaptcha({ sitekey: 'key' })(input));
    await passed();
    fire('frc:widget.error', { error: { code: 'network_error' } });
    await failed;
    expect(handle.destroy).toHaveBeenCalledTimes(1);
  });
});

describe('ALTCHA', () => {
  const made = async () => {
    await passed();
    return document.querySelector('altcha-widget')!;
  };
  const fire = (widget: Element, name: string, detail: object) =>
    widget.dispatchEvent(new CustomEvent(name, { detail }));
  customElements.define('altcha-widget', class extends HTMLElement {});

  it('starts at once, with the page’s attributes, and is removed after its token', async () => {
    const token = altcha({ challenge: '/altcha', params: { language: 'de', auto: 'off' } })(input);
    const widget = await made();
    expect(Object.fromEntries([...widget.attributes].map(({ name, value }) => [name, value]))).toEqual({
      challenge: '/altcha',
      language: 'de',
      auto: 'onload',
    });
    fire(widget, 'statechange', { state: 'verifying' });
    fire(widget, 'verified', { payload: 'token' });
    await expect(token).resolves.toBe('token');
    expect(widget.isConnected).toBe(false);
  });

  it.each(['error', 'expired'])('fails when its state is %s', async (state) => {
    const failed = failure(altcha({ challenge: '/altcha' })(input));
    fire(await made(), 'statechange', { state });
    await failed;
  });
});

describe('a challenge that is cancelled', () => {
  it('is removed by Turnstile, hCaptcha and Friendly Captcha themselves', async () => {
    const remove = vi.fn();
    scope.turnstile = { render: () => 'id', remove };
    scope.hcaptcha = { render: () => 'id', execute: () => new Promise(() => {}), remove };
    scope.frcaptcha = { createWidget: () => ({ addEventListener() {}, destroy: remove }) };
    for (const [index, captcha] of [
      turnstile({ sitekey: 'key' }),
      hcaptcha({ sitekey: 'key' }),
      friendlyCaptcha({ sitekey: 'key' }),
    ].entries()) {
      const token = captcha(input);
      await passed();
      expect(document.body.children).toHaveLength(2);
      captcha.cancel();
      expect(remove).toHaveBeenCalledTimes(index + 1);
      expect(document.body.children).toHaveLength(1);
      await expect(token).resolves.toBe('');
    }
  });

  it('is removed with its element of ALTCHA', async () => {
    const captcha = altcha({ challenge: '/altcha' });
    const token = captcha(input);
    await passed();
    captcha.cancel();
    expect(document.querySelector('altcha-widget')).toBeNull();
    await expect(token).resolves.toBe('');
  });

  it('is reset and hidden for reCAPTCHA, which cannot be removed', async () => {
    const api = grecaptcha();
    scope.grecaptcha = api;
    const captcha = recaptchaV2({ sitekey: 'key', size: 'normal' });
    const token = captcha(input);
    await passed();
    const [home] = api.render.mock.calls[0] as [HTMLElement];
    captcha.cancel();
    expect([home.hidden, api.reset.mock.calls]).toEqual([true, [[0]]]);
    await expect(token).resolves.toBe('');
    const again = captcha(input);
    await passed();
    expect(home.hidden).toBe(false);
    given(api.render).callback('token');
    await expect(again).resolves.toBe('token');
  });

  it('does not appear when reCAPTCHA is ready only later', async () => {
    const api = grecaptcha();
    let ready = () => {};
    scope.grecaptcha = Object.assign(api, {
      ready: (then: () => void) => {
        ready = then;
      },
    });
    const captcha = recaptchaV2({ sitekey: 'key', size: 'normal' });
    const token = captcha(input);
    await passed();
    captcha.cancel();
    ready();
    await passed();
    expect(api.render).not.toHaveBeenCalled();
    await expect(token).resolves.toBe('');
  });
});

describe('a token that is stored for the next request', () => {
  /** Asks, has the challenge solved when no request waits any longer, and lets some time pass. */
  const keep = async (captcha: CaptchaFunction, solve: () => void, passedMs = 0) => {
    captcha(input);
    await vi.advanceTimersByTimeAsync(1_500);
    solve();
    await vi.advanceTimersByTimeAsync(passedMs);
  };
  /** What the next request gets: the kept token at once, or nothing until there is a new one. */
  const next = async (captcha: CaptchaFunction) => {
    let token: string | undefined;
    captcha(input).then((given) => {
      token = given;
    });
    await passed();
    return token;
  };

  it.each([
    ['Turnstile', 300_000],
    ['hCaptcha', 120_000],
    ['reCAPTCHA', 120_000],
  ])('lives as long as %s says', async (name, lifeMs) => {
    for (const [passedMs, expected] of [
      [lifeMs - 6_000, 'token'],
      [lifeMs - 1_000, undefined],
    ] as const) {
      let solve = (_token: never) => {};
      const render = vi.fn((..._: unknown[]) => 'id');
      const api = grecaptcha();
      const waiting = () =>
        new Promise((resolve) => {
          solve = resolve;
        });
      scope.turnstile = { render, remove() {} };
      scope.hcaptcha = { render, execute: waiting, remove() {} };
      scope.grecaptcha = api;
      const [captcha, end] = {
        Turnstile: [turnstile({ sitekey: 'key' }), () => given(render).callback('token')] as const,
        hCaptcha: [hcaptcha({ sitekey: 'key' }), () => solve({ response: 'token' } as never)] as const,
        reCAPTCHA: [recaptchaV2({ sitekey: 'key' }), () => given(api.render).callback('token')] as const,
      }[name]!;
      await keep(captcha, end, passedMs);
      expect(await next(captcha)).toBe(expected);
    }
  });

  it.each([
    ['as ALTCHA’s challenge names it', (end: number) => ({ challenge: { parameters: { expiresAt: end } } })],
    ['as the salt of an older challenge names it', (end: number) => ({ salt: `ab?expires=${end}&c=d` })],
    ['as ALTCHA Sentinel names it', (end: number) => ({ verificationData: `score=1&expire=${end}` })],
  ])('ends %s', async (_, payload) => {
    for (const [lifeS, expected] of [
      [8, 'kept'],
      [4, undefined],
    ] as const) {
      const captcha = altcha({ challenge: '/altcha' });
      const token = btoa(JSON.stringify(payload(Math.ceil(Date.now() / 1000) + lifeS)));
      await keep(captcha, () =>
        document
          .querySelector('altcha-widget')!
          .dispatchEvent(new CustomEvent('verified', { detail: { payload: token } })),
      );
      expect(await next(captcha)).toBe(expected && token);
      captcha.cancel();
    }
  });

  it('is dropped when reCAPTCHA reports that it has expired', async () => {
    const api = grecaptcha();
    scope.grecaptcha = api;
    const captcha = recaptchaV2({ sitekey: 'key' });
    await keep(captcha, () => given(api.render).callback('token'));
    given(api.render)['expired-callback']();
    expect(await next(captcha)).toBeUndefined();
  });

  it('is dropped when Turnstile reports that it has expired', async () => {
    const render = vi.fn((..._: unknown[]) => 'id');
    scope.turnstile = { render, remove() {} };
    const captcha = turnstile({ sitekey: 'key' });
    await keep(captcha, () => given(render).callback('token'));
    given(render)['expired-callback']();
    expect(await next(captcha)).toBeUndefined();
  });
});

describe('the place of a challenge', () => {
  const placeOf = async (container?: string | Element) => {
    const render = vi.fn((..._: unknown[]) => 'id');
    scope.turnstile = { render, remove() {} };
    const token = turnstile({ sitekey: 'key', container })(input);
    token.catch(() => {});
    await passed();
    return { place: render.mock.calls[0]?.[0] as HTMLElement | undefined, token };
  };

  it('is a corner of the window, or the page’s own element', async () => {
    const own = document.createElement('p');
    own.id = 'own';
    document.body.append(own);
    const { place: corner } = await placeOf();
    expect([corner?.parentElement, corner?.style.position]).toEqual([document.body, 'fixed']);
    for (const container of ['#own', own]) {
      const { place } = await placeOf(container);
      expect([place?.parentElement, place?.style.position]).toEqual([own, '']);
    }
  });

  it('has to exist', async () => {
    const { place, token } = await placeOf('#nowhere');
    expect(place).toBeUndefined();
    await expect(token).rejects.toThrow('#nowhere');
  });
});

it('has a hash for every script with a fixed version', async () => {
  const { readdirSync, readFileSync } = await import('node:fs');
  const sources = readdirSync('src/captcha')
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`src/captcha/${name}`, 'utf8'))
    .filter((source) => /src: .*@\d+\.\d+\.\d+/.test(source));
  expect(sources).toHaveLength(2);
  for (const source of sources) expect(source).toMatch(/integrity: 'sha384-[\w+/]{64}'/);
});
