import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Browser, browser } from '../../../src/widget/browser.ts';
import {
  askService,
  type CaptchaToken,
  type Exchange,
  isAnswer,
  type Outcome,
  type RequestOptions,
} from '../../../src/widget/check/request.ts';
import { resultOf, type ScriptedFetch, scriptFetch, settle } from '../scripted-fetch.ts';

const JOE = 'joe@shop.example';
const ANN = 'ann@shop.example';
const OPTIONS: RequestOptions = {
  apiKey: 'test_public',
  baseUrl: 'https://api.example',
  method: 'GET',
  verificationTimeout: 5,
};
const LATER = { message: 'Your request is taking longer than normal. Please send your request again.' };

let service: ScriptedFetch;
beforeEach(() => {
  vi.useFakeTimers();
  service = scriptFetch();
});
afterEach(() => {
  vi.useRealTimers();
});

const browserWith = (fetch: Browser['fetch']): Browser => ({
  fetch,
  _setTimeout: (task, delayMs) => setTimeout(task, delayMs) as unknown as number,
  _clearTimeout: (timer) => clearTimeout(timer),
  explain() {},
});

interface Question extends Exchange {
  /** What has come out so far. */
  readonly ended: Outcome | undefined;
  readonly endings: number;
}

function ask(
  options: Partial<RequestOptions> = {},
  captchaToken?: CaptchaToken,
  address = JOE,
  fetch: Browser['fetch'] = service.fetch,
): Question {
  Object.assign(browser, browserWith(fetch));
  const exchange = askService(address, { ...OPTIONS, ...options }, captchaToken);
  const endings: Outcome[] = [];
  void exchange._outcome.then((outcome) => endings.push(outcome));
  return {
    ...exchange,
    get ended() {
      return endings[0];
    },
    get endings() {
      return endings.length;
    },
  };
}

/** The same, with its request on the way. */
async function askAndSettle(...question: Parameters<typeof ask>): Promise<Question> {
  const made = ask(...question);
  await settle();
  return made;
}

const aMessage = expect.stringMatching(/\S/);
const expectNothingLeft = () => expect(vi.getTimerCount()).toBe(0);

describe('the request', () => {
  it('is a GET with the address, the key and the time', async () => {
    await askAndSettle();
    expect(service.requests).toHaveLength(1);
    expect(service.last.url.origin + service.last.url.pathname).toBe('https://api.example/v1/verify');
    expect(service.last.parameters).toEqual({ email: JOE, api_key: 'test_public', timeout: '5' });
    expect(service.last.init.method).toBe('GET');
  });

  it('needs no preflight and sends no cookies', async () => {
    ask();
    await askAndSettle({ method: 'POST' });
    for (const { init } of service.requests) {
      expect(init.headers).toBeUndefined();
      expect(init.credentials).toBe('omit');
      // An answer of yesterday's would be one about yesterday's mailbox.
      expect(init.cache).toBe('no-store');
      expect(init.mode ?? 'cors').toBe('cors');
    }
  });

  it('follows no redirect with the key and the address, by GET or by POST', async () => {
    ask();
    await askAndSettle({ method: 'POST' });
    expect(service.requests.map(({ init }) => init.redirect)).toEqual(['error', 'error']);
  });

  it.each([
    'joe+news@shop.example',
    'a&b=c#d%41?@shop.example',
    "o'hara@shop.example",
    'jörg@müller.example',
  ])('carries %s unchanged', async (address) => {
    ask({}, undefined, address);
    await askAndSettle({ method: 'POST' }, undefined, address);
    expect(service.requests.map(({ email }) => email)).toEqual([address, address]);
    expect(service.requests.map(({ parameters }) => Object.keys(parameters).length)).toEqual([3, 3]);
  });

  it('is sent for half a character too', async () => {
    await askAndSettle({}, undefined, 'j\ud800@shop.example');
    expect(service.last.email).toBe('j\ufffd@shop.example');
  });

  it('as POST keeps everything out of the URL', async () => {
    await askAndSettle({ method: 'POST' });
    expect(service.last.url.href).toBe('https://api.example/v1/verify');
    expect(service.last.init.method).toBe('POST');
    expect(service.last.init.body).toBeInstanceOf(URLSearchParams);
    expect(service.last.parameters).toEqual({ email: JOE, api_key: 'test_public', timeout: '5' });
  });

  it.each([
    ['https://api.example/', 'https://api.example/v1/verify'],
    ['https://api.example//', 'https://api.example/v1/verify'],
    ['https://api.example:8443', 'https://api.example:8443/v1/verify'],
    ['https://shop.example/proxy/', 'https://shop.example/proxy/v1/verify'],
  ])('goes below the host %s', async (baseUrl, url) => {
    await askAndSettle({ baseUrl, method: 'POST' });
    expect(service.last.url.href).toBe(url);
  });

  it.each([
    [0, '2'],
    [1.99, '2'],
    [2, '2'],
    [3, '3'],
    [5.9, '5'],
    [10, '10'],
    [10.9, '10'],
    [60, '10'],
  ])('asks for %d seconds as timeout=%s', async (verificationTimeout, timeout) => {
    await askAndSettle({ verificationTimeout });
    expect(service.last.parameters.timeout).toBe(timeout);
  });

  it('is the same in a page that has extended Object.prototype', async () => {
    const additions = {
      signal: 1,
      body: 'x',
      headers: { a: 'b' },
      integrity: 'sha256-x',
      captcha_response: 'x',
    };
    Object.assign(Object.prototype, additions);
    try {
      await askAndSettle();
      const { init } = service.last;
      expect([init.body, init.headers, init.integrity]).toEqual([null, undefined, undefined]);
      expect(service.last.parameters).not.toHaveProperty('a');
      expect(service.last.url.searchParams.has('captcha_response')).toBe(false);
    } finally {
      for (const name of Object.keys(additions)) delete (Object.prototype as Record<string, unknown>)[name];
    }
  });
});

describe('a result', () => {
  it('contains what the policy reads, and the text as it arrived', async () => {
    const body = `${JSON.stringify(resultOf(JOE, { score: 95, free: true, did_you_mean: ANN }))}\n`;
    const question = await askAndSettle();
    await service.last.answer(200, body);
    // The rest stays in the text alone: a page may have many answers.
    const _result = { state: 'deliverable', disposable: false, role: false, free: true, did_you_mean: ANN };
    expect(question.ended).toEqual({ status: 200, body, _proof: null, _result });
    expectNothingLeft();
  });

  it.each([
    ['in capitals', 'JOE@SHOP.EXAMPLE', JOE],
    ['with a domain in its other form', 'joe@xn--mller-kva.example', 'joe@m\u00fcller.example'],
    ['with accents composed in another way', 'jo\u0065\u0301@shop.example', 'jo\u00e9@shop.example'],
    ['with half a character replaced', 'a\ufffd@shop.example', 'a\ud800@shop.example'],
    ['without an address', undefined, JOE],
    ['with an address of a wrong type', 7, JOE],
  ])('may be %s', async (_, email, address) => {
    const question = ask({}, undefined, address);
    await service.last.answer(200, { ...resultOf(address), email });
    expect(question.ended && isAnswer(question.ended)).toBe(true);
  });

  it.each(['ann@shop.example', 'joe@other.example', 'joe@256.256.256.256'])(
    'about another address is none: %s',
    async (email) => {
      const question = ask();
      await service.last.answer(200, { ...resultOf(JOE), email });
      await vi.advanceTimersByTimeAsync(500);
      expect(question.ended).toEqual({ status: 200, message: 'Status 200, no result.' });
    },
  );

  it('is read only as far as it can be one', async () => {
    let pieces = 0;
    const read = async () => ({ value: new TextEncoder().encode('x'.repeat(1_000 * ++pieces)) });
    const question = ask();
    await service.last.answerBy(200, read);
    expect(question.ended).toMatchObject({ status: 200 });
    expect(pieces).toBeLessThan(6);
  });

  it('is whole if a letter arrives in two pieces', async () => {
    const body = JSON.stringify(resultOf(JOE, { tag: 'ö' }));
    const bytes = new TextEncoder().encode(body);
    const pieces = [bytes.slice(0, bytes.indexOf(0xc3) + 1), bytes.slice(bytes.indexOf(0xc3) + 1)];
    const question = ask();
    await service.last.answerBy(200, async () => ({ value: pieces.shift() }));
    await settle();
    expect(question.ended).toMatchObject({ status: 200, body });
  });

  it('does not exist before the body has arrived', async () => {
    const question = await askAndSettle();
    await service.last.answerWithoutBody(200);
    expect(question.ended).toBeUndefined();
  });
});

describe('a failure', () => {
  it.each([400, 401, 402, 403, 404, 413, 429, 500, 503])(
    'of %i says what the service says',
    async (status) => {
      const question = await askAndSettle();
      await service.last.answer(status, { message: `Words for ${status}` });
      expect({ ...question.ended }).toEqual({ status, message: `Words for ${status}` });
      expectNothingLeft();
    },
  );

  it.each([
    ['nothing', ''],
    ['markup', '<h1>502 Bad Gateway</h1>'],
    ['null', 'null'],
    ['an object without a message', '{"error":"x"}'],
    ['an empty message', '{"message":""}'],
    ['a message of a wrong type', '{"message":{"text":"x"}}'],
    ['a message of 100 kB', `{"message":"${'x'.repeat(100_000)}"}`],
    ['a list', '["message"]'],
  ])('with a body that is %s has a message of the widget', async (_, body) => {
    const question = await askAndSettle();
    await service.last.answer(502, body);
    expect({ ...question.ended }).toEqual({ status: 502, message: 'Status 502, no result.' });
  });

  it.each([
    ['nothing', ''],
    ['markup', '<title>Log in to this network</title>'],
    ['a list', '[]'],
    ['no state', '{"email":"joe@shop.example"}'],
    ['a state that is not documented', '{"state":"accepted"}'],
    ['a state that only its prototype has', '{"__proto__":{"state":"deliverable"}}'],
    ['100 kB', `{"state":"deliverable","user":"${'x'.repeat(100_000)}"}`],
  ])('is the outcome of a 200 with %s', async (_, body) => {
    const question = await askAndSettle();
    await service.last.answer(200, body);
    expect({ ...question.ended }).toEqual({ status: 200, message: aMessage });
  });

  it.each(Object.keys(resultOf(JOE)))('is the outcome of a 200 whose %s is 100 kB long', async (field) => {
    const question = await askAndSettle();
    await service.last.answer(200, { ...resultOf(JOE), [field]: 'x'.repeat(100_000) });
    expect({ ...question.ended }).toEqual({ status: 200, message: aMessage });
  });

  it('is none if the response of a page’s own fetch has only a text', async () => {
    const text = async () => JSON.stringify(resultOf(JOE));
    const question = await askAndSettle({}, undefined, JOE, async () => ({ status: 200, text }) as Response);
    expect(question.ended && isAnswer(question.ended)).toBe(true);
  });

  it.each([201, 202, 204, 206, 304])('is the outcome of a result with status %i', async (status) => {
    const question = await askAndSettle();
    await service.last.answer(status, resultOf(JOE));
    expect(question.ended && isAnswer(question.ended)).toBe(false);
    expect(question.ended?.status).toBe(status);
  });

  it('of the network says so, without a status', async () => {
    const question = await askAndSettle();
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(500);
    expect({ ...question.ended }).toEqual({ status: 0, message: aMessage });
    expectNothingLeft();
  });

  it('of the network is reported later, because browsers fail the requests of a page that the visitor leaves', async () => {
    const question = await askAndSettle();
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(100);
    expect(question.ended).toBeUndefined();
  });

  it('in the middle of the body is a failure of the network', async () => {
    const question = await askAndSettle();
    await service.last.answerWithoutBody(200);
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(500);
    expect(question.ended).toMatchObject({ status: 0, message: aMessage });
  });

  it.each<[string, () => unknown]>([
    ['gives nothing', () => undefined],
    ['gives what is no response', () => ({})],
    ['gives a promise of nothing', () => Promise.resolve()],
    ['rejects with nothing', () => Promise.reject()],
    [
      'throws',
      () => {
        throw new TypeError('fetch is off');
      },
    ],
  ])('is the outcome of a fetch that %s', async (_, fetch) => {
    const question = ask({}, undefined, JOE, fetch as Browser['fetch']);
    await vi.advanceTimersByTimeAsync(500);
    expect(question.ended).toMatchObject({ status: 0, message: aMessage });
    expectNothingLeft();
  });

  it('names neither the address nor the key', async () => {
    const said: string[] = [];
    for (const end of ['fail', 'wait', 'markup'] as const) {
      const question = await askAndSettle();
      if (end === 'fail') await service.last.fail();
      if (end === 'markup') await service.last.answer(500, `<p>${JOE}</p>`);
      await vi.advanceTimersByTimeAsync(10_000);
      said.push((question.ended as { message: string }).message);
    }
    expect(said).toHaveLength(3);
    for (const message of said) expect(message).not.toMatch(/joe|shop\.example|test_public/);
  });
});

describe('the time limit', () => {
  it.each([0.5, 5, 12])('ends after %d seconds, and not before', async (verificationTimeout) => {
    const question = await askAndSettle({ verificationTimeout });
    await vi.advanceTimersByTimeAsync(verificationTimeout * 1000 - 1);
    expect(question.ended).toBeUndefined();
    expect(service.last.isAborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect({ ...question.ended }).toEqual({ status: 0, message: aMessage });
    expect(service.last.isAborted).toBe(true);
    expectNothingLeft();
  });

  it('includes the body', async () => {
    const question = await askAndSettle();
    await service.last.answerWithoutBody(200);
    await vi.advanceTimersByTimeAsync(5000);
    expect(question.ended).toMatchObject({ status: 0, message: aMessage });
  });

  it('is final, so later responses change nothing', async () => {
    const question = await askAndSettle();
    await vi.advanceTimersByTimeAsync(5000);
    await service.last.answer(200, resultOf(JOE));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(question.ended).toMatchObject({ status: 0 });
    expect(question.endings).toBe(1);
    expect(service.requests).toHaveLength(1);
    expectNothingLeft();
  });

  it('reports no failure that its own abort has caused', async () => {
    const question = await askAndSettle();
    await vi.advanceTimersByTimeAsync(5000);
    const said = question.ended;
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(1000);
    expect(question.ended).toBe(said);
    expectNothingLeft();
  });
});

describe('a 249 ("send again")', () => {
  /** Answers every try with 249 after so many milliseconds, and tells when the tries were made. */
  async function answerAll(question: Question, answerMs = 0): Promise<number[]> {
    let passedMs = 0;
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      passedMs += ms;
    };
    const times: number[] = [];
    for (let known = 0; !question.ended && passedMs < 60_000; ) {
      await pass(known < service.requests.length ? 0 : 1);
      if (known === service.requests.length) continue;
      known = service.requests.length;
      times.push(passedMs);
      await pass(answerMs);
      await service.last.answer(249, LATER);
    }
    return times;
  }

  it('is sent again at growing intervals, five tries at most', async () => {
    const question = ask({ verificationTimeout: 60 });
    const times = await answerAll(question);
    expect(times).toHaveLength(5);
    const pauses = times.slice(1).map((time, index) => time - (times[index] as number));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(new Set(pauses).size).toBe(4);
    expect({ ...question.ended }).toEqual({ status: 249, message: LATER.message });
    expectNothingLeft();
  });

  it('is never sent again after the time is up', async () => {
    const question = ask({ verificationTimeout: 2 });
    const times = await answerAll(question, 300);
    expect(times.at(-1)).toBeLessThan(2000);
    expect(question.ended).toMatchObject({ status: 249, message: LATER.message });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(times.length);
    expectNothingLeft();
  });

  it('sends the same request each time', async () => {
    await answerAll(ask());
    expect(new Set(service.requests.map(({ url }) => url.href)).size).toBe(1);
  });

  it('ends with the result when one comes', async () => {
    const question = await askAndSettle();
    await service.last.answer(249, LATER);
    await vi.advanceTimersByTimeAsync(1000);
    expect(service.requests).toHaveLength(2);
    await service.last.answer(200, resultOf(JOE));
    expect(question.ended).toMatchObject({ status: 200, _result: { state: 'deliverable' } });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(2);
  });

  it('ends with any other failure when one comes', async () => {
    const question = await askAndSettle();
    await service.last.answer(249, LATER);
    await vi.advanceTimersByTimeAsync(1000);
    await service.last.answer(429, { message: 'Rate Limit Exceeded' });
    expect(question.ended).toEqual({ status: 429, message: 'Rate Limit Exceeded' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(2);
  });

  it('does not prolong the time: it counts from the first try', async () => {
    const question = await askAndSettle();
    await service.last.answer(249, LATER);
    await vi.advanceTimersByTimeAsync(4999);
    expect(service.requests).toHaveLength(2);
    expect(question.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(question.ended).toMatchObject({ message: aMessage });
    expect(service.last.isAborted).toBe(true);
  });

  it('has a message if the service sent none', async () => {
    const question = await askAndSettle({ verificationTimeout: 0.1 });
    await service.last.answer(249, '');
    await vi.advanceTimersByTimeAsync(100);
    expect(question.ended).toEqual({ status: 249, message: aMessage });
  });
});

describe('a captcha', () => {
  it('is waited for, and its token sent', async () => {
    let give: (token: string) => void = () => {};
    const token = new Promise<string>((resolve) => (give = resolve));
    ask({}, () => token);
    await vi.advanceTimersByTimeAsync(1000);
    expect(service.requests).toHaveLength(0);
    give('t&1');
    await settle();
    expect(service.last.parameters.captcha_response).toBe('t&1');
  });

  it('that gives its token after the end sends no request', async () => {
    let give: (token: string) => void = () => {};
    const token = new Promise<string>((resolve) => (give = resolve));
    const question = ask({}, () => token);
    question._abort();
    give('late');
    await settle();
    expect(service.requests).toEqual([]);
    expectNothingLeft();
  });

  it('may give its token at once', async () => {
    await askAndSettle({ method: 'POST' }, () => 'token');
    expect(service.last.parameters.captcha_response).toBe('token');
  });

  it('is called again for every try, because a token is valid once', async () => {
    let asked = 0;
    await askAndSettle({}, () => `token ${++asked}`);
    await service.last.answer(249, LATER);
    await vi.advanceTimersByTimeAsync(1000);
    expect(service.requests.map(({ parameters }) => parameters.captcha_response)).toEqual([
      'token 1',
      'token 2',
    ]);
  });

  it.each<[string, CaptchaToken]>([
    ['rejects', () => Promise.reject(new Error('not loaded'))],
    ['rejects with nothing', () => Promise.reject()],
    [
      'throws',
      () => {
        throw new Error('not loaded');
      },
    ],
    [
      'gives what is no text',
      () => ({
        toString() {
          throw new Error('no text');
        },
      }),
    ],
  ])('that %s is a failure, and no request is sent', async (_, captchaToken) => {
    const question = ask({}, captchaToken);
    await vi.advanceTimersByTimeAsync(500);
    expect(question.ended).toEqual({ status: 0, message: aMessage });
    expect(service.requests).toHaveLength(0);
    expectNothingLeft();
  });

  it.each<[string, () => unknown, unknown]>([
    ['nothing', () => undefined, 'token'],
    ['null', () => null, 'token'],
    ['an empty token', () => '', 'token'],
    ['the promise of an empty token', () => Promise.resolve(''), Promise.resolve('token')],
  ])('that gives %s is called again until it gives a token', async (_, before, token) => {
    let solved = false;
    const question = ask({}, () => (solved ? token : before()));
    await vi.advanceTimersByTimeAsync(4000);
    expect(question.ended).toBeUndefined();
    expect(service.requests).toHaveLength(0);
    solved = true;
    await vi.advanceTimersByTimeAsync(250);
    expect(service.last.parameters.captcha_response).toBe('token');
  });

  it('that gives no token within the timeout is a failure, and is not called again', async () => {
    const captchaToken = vi.fn(() => '');
    const question = ask({}, captchaToken);
    await vi.advanceTimersByTimeAsync(4999);
    expect(question.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(question.ended).toEqual({ status: 0, message: aMessage });
    expect(captchaToken.mock.calls.length).toBeLessThanOrEqual(20);
    captchaToken.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(captchaToken).not.toHaveBeenCalled();
    expect(service.requests).toHaveLength(0);
    expectNothingLeft();
  });

  it('that gives its token too late is a failure, and the token is not used', async () => {
    let give: (token: string) => void = () => {};
    const question = ask({}, () => new Promise((resolve) => (give = resolve)));
    await vi.advanceTimersByTimeAsync(4999);
    expect(question.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(question.ended).toEqual({ status: 0, message: aMessage });
    give('late');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(service.requests).toHaveLength(0);
    expectNothingLeft();
  });

  it('that is slow does not shorten the time of the service', async () => {
    const question = ask({}, () => new Promise((resolve) => setTimeout(() => resolve('token'), 4000)));
    await vi.advanceTimersByTimeAsync(4000 + 4999);
    expect(service.requests).toHaveLength(1);
    expect(question.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(question.ended).toMatchObject({ status: 0 });
  });

  it('that fails between two tries ends the verification', async () => {
    let asked = 0;
    const question = await askAndSettle({}, () => (asked++ ? '' : 'token'));
    await service.last.answer(249, LATER);
    await vi.advanceTimersByTimeAsync(5000);
    expect(question.ended).toMatchObject({ message: aMessage });
    expect(service.requests).toHaveLength(1);
    expectNothingLeft();
  });
});

describe('an aborted verification', () => {
  const expectSilence = (question: Question) => {
    expect(question.ended && (isAnswer(question.ended) || question.ended.message)).toBeFalsy();
    expectNothingLeft();
  };

  it('aborts the request', async () => {
    const question = await askAndSettle();
    question._abort();
    expect(service.last.isAborted).toBe(true);
    expectSilence(question);
  });

  it('reports no failure that the abort has caused', async () => {
    const question = await askAndSettle();
    question._abort();
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(10_000);
    expectSilence(question);
  });

  it('reports no failure that the browser caused shortly before', async () => {
    const question = await askAndSettle();
    await service.last.fail();
    await vi.advanceTimersByTimeAsync(50);
    question._abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expectSilence(question);
  });

  it('ignores a later response', async () => {
    const question = await askAndSettle();
    question._abort();
    await service.last.answer(200, resultOf(JOE));
    expectSilence(question);
  });

  it('is not sent again after a 249', async () => {
    const question = await askAndSettle();
    await service.last.answer(249, LATER);
    question._abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(service.requests).toHaveLength(1);
    expectSilence(question);
  });

  it('sends nothing when the captcha comes later', async () => {
    const question = await askAndSettle(
      {},
      () => new Promise((resolve) => setTimeout(() => resolve('token'), 100)),
    );
    question._abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(service.requests).toHaveLength(0);
    expectSilence(question);
  });

  it('can be aborted after its end, and more than once', async () => {
    const question = await askAndSettle();
    await service.last.answer(200, resultOf(JOE));
    question._abort();
    question._abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(question.ended).toMatchObject({ status: 200 });
    expect(question.endings).toBe(1);
  });
});
