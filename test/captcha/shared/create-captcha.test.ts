// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCaptcha, type Provider } from '../../../src/captcha/shared/create-captcha.ts';

/** A provider whose challenges end when the test says so. */
function scripted(more: Partial<Provider<object>> = {}) {
  const challenges: {
    place: HTMLElement;
    ended: AbortSignal;
    expired(): void;
    solve(token: string): void;
    fail(error: Error): void;
  }[] = [];
  const api = {};
  const captcha = createCaptcha<object>(
    {
      src: 'https://captcha.example/api.js',
      known: 'captcha.example',
      api: () => api,
      solve: (_, place, ended, expired) =>
        new Promise((solve, fail) => challenges.push({ place, ended, expired, solve, fail })),
      ...more,
    },
    {},
  );
  const input = document.createElement('input');
  document.body.append(input);
  /** What comes of an ask, so far. */
  const ask = () => {
    const asked: { token?: string; error?: unknown } = {};
    captcha(input).then(
      (token) => Object.assign(asked, { token }),
      (error) => Object.assign(asked, { error }),
    );
    return asked;
  };
  /** The same, a moment later. */
  const askNow = async () => {
    const asked = ask();
    await settled();
    return asked;
  };
  /** Leaves a token behind that came when no request waited. */
  const keep = async (token: string) => {
    ask();
    await vi.advanceTimersByTimeAsync(1_500);
    challenges.at(-1)!.solve(token);
    await settled();
  };
  return { captcha, challenges, input, ask, askNow, keep };
}

/** Promises have settled, and no time has passed. */
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe('a captcha', () => {
  it('gives each request its own token, from a widget that is removed afterwards', async () => {
    const { challenges, askNow } = scripted();
    for (const token of ['one', 'two']) {
      const asked = await askNow();
      const { place, ended, solve } = challenges.at(-1)!;
      expect(place.isConnected).toBe(true);
      expect(place.closest('form')).toBeNull();
      solve(token);
      await settled();
      expect(asked).toEqual({ token });
      expect(ended.aborted).toBe(true);
      expect(place.isConnected).toBe(false);
    }
    expect(challenges).toHaveLength(2);
  });

  it('returns an empty text while a challenge is open, and opens no second one', async () => {
    const { challenges, ask, askNow } = scripted();
    const early = ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(early).toEqual({ token: '' });
    const late = await askNow();
    challenges[0]!.solve('one');
    await settled();
    expect(late).toEqual({ token: 'one' });
    expect(challenges).toHaveLength(1);
  });

  it('gives the token only to the last caller', async () => {
    const { challenges, ask } = scripted();
    const [first, last] = [ask(), ask()];
    await settled();
    challenges[0]!.solve('one');
    await settled();
    expect([first, last]).toEqual([{ token: '' }, { token: 'one' }]);
  });

  it('keeps a token for one later request if no request waits', async () => {
    const { challenges, askNow, keep } = scripted();
    await keep('one');
    const next = await askNow();
    expect(next).toEqual({ token: 'one' });
    await askNow();
    expect(challenges).toHaveLength(2);
  });

  it.each([
    ['for a minute where the provider names no lifetime', {}, 60_000],
    ['for as long as the provider says', { lifeMs: 300_000 }, 300_000],
    ['no longer than the token itself says', { expiryOf: () => Date.now() + 20_000 }, 20_000],
    ['for as long as the provider says where the token says nothing', { expiryOf: () => Number.NaN }, 60_000],
  ])('keeps a token %s, minus the time that a request takes', async (_, provider, lifeMs) => {
    for (const [sparedMs, outcome] of [
      [5_100, { token: 'one' }],
      [4_900, {}],
    ] as const) {
      const { askNow, keep } = scripted(provider);
      await keep('one');
      await vi.advanceTimersByTimeAsync(lifeMs - sparedMs);
      const next = await askNow();
      expect(next).toEqual(outcome);
    }
  });

  it('hands out no token that expires within the second', async () => {
    const { challenges, askNow } = scripted({ expiryOf: (token) => Number(token) });
    const asked = await askNow();
    challenges[0]!.solve(String(Date.now() + 900));
    await settled();
    expect(asked).toEqual({ token: '' });
    const token = String(Date.now() + 60_000);
    const again = await askNow();
    challenges[1]!.solve(token);
    await settled();
    expect(again).toEqual({ token });
  });

  it.each([
    ['the clock is set back', () => vi.setSystemTime(Date.now() - 3_600_000), 120_000],
    ['the machine has slept', () => vi.setSystemTime(Date.now() + 120_000), 0],
  ])('hands out no expired token when %s', async (_, happen, passedMs) => {
    const { challenges, askNow, keep } = scripted({ lifeMs: 120_000 });
    await keep('one');
    await vi.advanceTimersByTimeAsync(passedMs);
    happen();
    const next = await askNow();
    expect(next).toEqual({});
    expect(challenges).toHaveLength(2);
  });

  it('drops a kept token when the provider reports that it has expired', async () => {
    const { challenges, askNow, keep } = scripted();
    await keep('one');
    challenges[0]!.expired();
    const next = await askNow();
    expect(next).toEqual({});
    expect(challenges).toHaveLength(2);
  });

  it('keeps a token when an earlier one has expired', async () => {
    const { challenges, ask, askNow, keep } = scripted();
    await keep('one');
    ask();
    await keep('two');
    challenges[0]!.expired();
    const next = await askNow();
    expect(next).toEqual({ token: 'two' });
  });

  it('is rejected when the challenge fails, and tries again for the next request', async () => {
    const { challenges, askNow } = scripted();
    const asked = await askNow();
    const error = new Error('closed');
    challenges[0]!.fail(error);
    await settled();
    expect(asked).toEqual({ error });
    expect(challenges[0]!.ended.aborted).toBe(true);
    await askNow();
    expect(challenges).toHaveLength(2);
  });

  it('reports a failure between two calls of one verification, and no older one', async () => {
    const { challenges, ask, askNow } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(1_100);
    const error = new Error('closed');
    challenges[0]!.fail(error);
    await vi.advanceTimersByTimeAsync(200);
    const again = await askNow();
    expect(again).toEqual({ error });

    ask();
    await vi.advanceTimersByTimeAsync(1_100);
    challenges[1]!.fail(error);
    await vi.advanceTimersByTimeAsync(1_100);
    const other = await askNow();
    expect(other).toEqual({});
    expect(challenges).toHaveLength(3);
  });

  it('ends a challenge after two minutes', async () => {
    const { challenges, ask } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(119_900);
    const last = ask();
    await vi.advanceTimersByTimeAsync(200);
    expect(last).toEqual({ error: expect.any(Error) });
    expect(challenges[0]!.ended.aborted).toBe(true);
    expect(challenges[0]!.place.isConnected).toBe(false);
  });

  it('keeps a challenge open for a visitor who takes longer than the verification', async () => {
    const { challenges, ask, askNow } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(challenges[0]!.place.isConnected).toBe(true);
    challenges[0]!.solve('one');
    await settled();
    const next = await askNow();
    expect(next).toEqual({ token: 'one' });
  });

  it('removes a challenge within two seconds after its form has left the page', async () => {
    const { challenges, input, ask } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(10_000);
    input.remove();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(challenges[0]!.ended.aborted).toBe(true);
    expect(challenges[0]!.place.isConnected).toBe(false);
  });
});

describe('a captcha that is cancelled', () => {
  it('removes its challenge, and lets the request go on without a token', async () => {
    const { captcha, challenges, askNow } = scripted();
    const asked = await askNow();
    const { place, ended } = challenges[0]!;
    captcha.cancel();
    expect(ended.aborted).toBe(true);
    expect(place.isConnected).toBe(false);
    await settled();
    expect(asked).toEqual({ token: '' });
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });

  it('shows no challenge when the provider’s script arrives later', async () => {
    let api: object | undefined;
    const { captcha, challenges, ask } = scripted({ api: () => api });
    // The page's own, which this environment does not load.
    const script = Object.assign(document.createElement('script'), { type: 'text/plain' });
    script.src = 'https://captcha.example/api.js';
    document.body.append(script);
    ask();
    captcha.cancel();
    api = {};
    await vi.advanceTimersByTimeAsync(100);
    expect(challenges).toEqual([]);
    expect(document.querySelector('div')).toBeNull();
  });

  it('drops a kept token', async () => {
    const { captcha, challenges, askNow, keep } = scripted();
    await keep('one');
    captcha.cancel();
    const next = await askNow();
    expect(next).toEqual({});
    expect(challenges).toHaveLength(2);
  });

  it('gives new requests a new challenge, and nothing of the old one', async () => {
    const { captcha, challenges, askNow } = scripted();
    await askNow();
    captcha.cancel();
    const asked = await askNow();
    challenges[0]!.solve('old');
    await settled();
    expect(asked).toEqual({});
    challenges[1]!.solve('new');
    await settled();
    expect(asked).toEqual({ token: 'new' });
  });

  it('does nothing without an open challenge', () => {
    expect(() => scripted().captcha.cancel()).not.toThrow();
  });
});
