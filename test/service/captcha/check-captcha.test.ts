import { afterEach, describe, expect, it, vi } from 'vitest';
import { withResolvers } from '../../with-resolvers.ts';
import { EVIL, failureOf, SHOP, startService } from '../testing.ts';

const EMAIL = 'jane@company.example';

interface Asked {
  readonly url: string;
  readonly method: string | undefined;
  readonly redirect: string | undefined;
  readonly fields: Record<string, string>;
}

const KEY = { key: 'test_captcha', kind: 'public' as const, trustedDomains: ['shop.example'] };
const TURNSTILE = { provider: 'turnstile', secret: 'the-secret' } as const;

function serviceWith(answer: (asked: Asked) => Response | Promise<Response>, captcha = {}) {
  const asked: Asked[] = [];
  const service = startService({
    keys: [{ ...KEY, captcha: { ...TURNSTILE, ...captcha } }],
    fetch: async (url, init) => {
      const fields = Object.fromEntries(init?.body as URLSearchParams);
      asked.push({ url: String(url), method: init?.method, redirect: init?.redirect, fields });
      const aborted = new Promise<never>((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      });
      return Promise.race([answer(asked.at(-1)!), aborted]);
    },
  });
  const ask = (token?: string, page = {}) =>
    service.fromPage(
      { email: EMAIL, ...(token === undefined ? {} : { captcha_response: token }) },
      { key: 'test_captcha', ...page },
    );
  return { ask, asked, service };
}

const good = (more = {}) => Response.json({ success: true, ...more });
const bad = (...codes: string[]) => Response.json({ success: false, 'error-codes': codes });

afterEach(() => {
  vi.useRealTimers();
});

describe('a captcha', () => {
  it.each([
    ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/siteverify'],
    ['hcaptcha', 'https://api.hcaptcha.com/siteverify'],
    ['recaptcha', 'https://www.google.com/recaptcha/api/siteverify'],
  ])('is checked with %s by one form-encoded POST, which nobody can redirect', async (provider, url) => {
    const { ask, asked } = serviceWith(() => good(), { provider });
    expect((await ask('token')).statusCode).toBe(200);
    const fields = { secret: 'the-secret', response: 'token', remoteip: '198.51.100.7' };
    expect(asked).toEqual([{ url, method: 'POST', redirect: 'error', fields }]);
  });

  it('is checked at another address when one is configured', async () => {
    const siteverifyUrl = 'http://127.0.0.1:9999/siteverify';
    const { ask, asked } = serviceWith(() => good(), { siteverifyUrl });
    await ask('token');
    expect(asked[0]?.url).toBe(siteverifyUrl);
  });

  it.each([[undefined], ['']])('that is missing is refused without asking anybody: %j', async (token) => {
    const { ask, asked } = serviceWith(() => good());
    const answer = await ask(token);
    expect(failureOf(answer)).toEqual([403, expect.stringContaining('captcha_response')]);
    expect(answer.headers['access-control-allow-origin']).toBe(SHOP);
    expect(asked).toEqual([]);
  });

  it('that was not solved, or was used before, is refused in words of its own', async () => {
    for (const code of ['invalid-input-response', 'timeout-or-duplicate']) {
      const { ask } = serviceWith(() => bad(code));
      expect(failureOf(await ask('token'))).toEqual([
        403,
        'The captcha could not be verified. Solve it again.',
      ]);
    }
  });

  it('counts for the key’s own domains only', async () => {
    expect((await serviceWith(() => good({ hostname: 'www.shop.example' })).ask('token')).statusCode).toBe(
      200,
    );
    expect((await serviceWith(() => good({ hostname: '' })).ask('token')).statusCode).toBe(200);
    // What is no text is no host name.
    expect((await serviceWith(() => good({ hostname: null })).ask('token')).statusCode).toBe(200);
    const { ask } = serviceWith(() => good({ hostname: 'shop.example.evil.test' }));
    expect((await ask('token')).statusCode).toBe(403);
  });

  it.each([
    ['says "true" instead of true', () => Response.json({ success: 'true' })],
    ['says nothing', () => Response.json({})],
    ['gives a code that is no text', () => Response.json({ success: false, 'error-codes': [7, null] })],
  ])('is refused when the provider %s', async (_, answer) => {
    expect((await serviceWith(answer).ask('token')).statusCode).toBe(403);
  });

  it('is judged by the whole answer, however it arrives', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ success: true, hostname: 'bü.shop.example' }));
    const cut = bytes.indexOf(0xc3) + 1;
    const pieces = [bytes.slice(0, cut), bytes.slice(cut)];
    const inPieces = new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    expect((await serviceWith(() => new Response(inPieces)).ask('token')).statusCode).toBe(200);
    const longest = JSON.stringify({ success: true }).padEnd(64 * 1024);
    expect((await serviceWith(() => new Response(longest)).ask('token')).statusCode).toBe(200);
    expect((await serviceWith(() => new Response(`${longest} `)).ask('token')).statusCode).toBe(503);
  });

  it('leaves no timer behind', async () => {
    const { ask } = serviceWith(() => good());
    await ask('token');
    // The limit's own second.
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('costs no token when anything else is wrong with the request', async () => {
    const { ask, asked, service } = serviceWith(() => good());
    await ask('token', { origin: EVIL });
    await service.fromPage({ email: '', captcha_response: 'token' }, { key: 'test_captcha' });
    expect(asked).toEqual([]);
  });

  it('costs no token when the day’s addresses are used up, and no address when it is refused', async () => {
    let answers = [bad('invalid-input-response'), good(), good()];
    let asked = 0;
    const service = liveWithCaptcha(async () => {
      asked += 1;
      return answers.shift()!;
    });
    const ask = async (email: string) =>
      (await service.fromPage({ email, captcha_response: 't' }, { key: 'live_captcha' })).statusCode;
    expect([await ask('a@b.example'), await ask('c@d.example'), await ask('e@f.example')]).toEqual([
      403, 503, 429,
    ]);
    expect(asked).toBe(2);
    answers = [];
  });

  it('counts no address of a visitor who sends no token', async () => {
    const { fromPage } = liveWithCaptcha(async () => good());
    const ask = async (parameters: Record<string, string>) =>
      (await fromPage(parameters, { key: 'live_captcha' })).statusCode;
    for (const email of ['a@b.example', 'c@d.example', 'e@f.example']) expect(await ask({ email })).toBe(403);
    expect(await ask({ email: 'g@h.example', captcha_response: 't' })).toBe(503);
  });

  it('counts one address when two requests of a visitor wait for the provider at the same time', async () => {
    let waiting = 0;
    const { promise: both, resolve: answerBoth } = withResolvers();
    const { fromPage } = liveWithCaptcha(async () => {
      waiting += 1;
      if (waiting === 2) answerBoth();
      await both;
      return good();
    });
    const asked = ['a@b.example', 'c@d.example'].map((email) =>
      fromPage({ email, captcha_response: 't' }, { key: 'live_captcha' }),
    );
    expect((await Promise.all(asked)).map(({ statusCode }) => statusCode)).toEqual([503, 429]);
  });
});

/** A live key with a captcha, and one address a day. */
const liveWithCaptcha = (fetch: () => Promise<Response>) =>
  startService({
    keys: [
      {
        key: 'live_captcha',
        kind: 'public',
        trustedDomains: ['shop.example'],
        captcha: { provider: 'hcaptcha', secret: 's' },
      },
    ],
    limits: { uniquePerDay: 1 },
    fetch,
  });

describe('a captcha provider', () => {
  it.each([
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['answers with a failure', () => new Response('{"success":true}', { status: 500 })],
    ['answers with something else than JSON', () => new Response('<!doctype html>')],
    ['answers with nothing', () => new Response(null)],
    ['answers with null', () => Response.json(null)],
    ['answers with a text', () => Response.json('yes')],
    [
      'breaks off in the middle of a character',
      () => new Response(Buffer.from('{"success":true}\xc3', 'latin1')),
    ],
    ['answers without an end', () => new Response('x'.repeat(100_000))],
    ['refuses our secret', () => bad('invalid-input-secret')],
    ['is in trouble itself', () => bad('internal-error')],
  ])('that %s gives a 503', async (_, answer) => {
    const { ask, service } = serviceWith(answer);
    expect(failureOf(await ask('token'))).toEqual([503, expect.stringContaining('captcha provider')]);
    expect(service.logged.join()).toMatch(
      /\["(warn","captcha provider failed|error","captcha provider refused us)",\{"provider":"turnstile",/,
    );
    expect(service.logged.join()).not.toMatch(/the-secret|token|jane/);
  });

  it('that refuses us is named to the operator, with the cause', async () => {
    const { ask, service } = serviceWith(() => bad('x', 'invalid-input-secret'));
    await ask('token');
    expect(service.logged[0]).toBe(
      '["error","captcha provider refused us",{"provider":"turnstile","cause":"invalid-input-secret"}]',
    );
  });

  it('that keeps silent is waited for no longer than ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { ask, asked } = serviceWith(() => new Promise(() => {}));
    const answer = ask('token');
    const settled = vi.fn();
    void answer.then(settled);
    // `vi.waitUntil` would move the clock.
    while (asked.length === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).statusCode).toBe(503);
  });
});
