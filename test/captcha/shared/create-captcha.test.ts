// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCaptcha } from '../../../src/captcha/shared/create-captcha.ts';

/** A provider whose challenges end when the test says so. */
function scripted() {
  const challenges: {
    place: HTMLElement;
    ended: AbortSignal;
    solve(token: string): void;
    fail(error: Error): void;
  }[] = [];
  const api = {};
  const captcha = createCaptcha<object>(
    {
      src: 'https://captcha.example/api.js',
      known: 'captcha.example',
      api: () => api,
      solve: (_, place, ended) =>
        new Promise((solve, fail) => challenges.push({ place, ended, solve, fail })),
    },
    {},
  );
  const input = document.createElement('input');
  /** What comes of an ask, so far. */
  const ask = () => {
    const asked: { token?: string; error?: unknown } = {};
    captcha(input).then(
      (token) => Object.assign(asked, { token }),
      (error) => Object.assign(asked, { error }),
    );
    return asked;
  };
  return { challenges, ask };
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
  it('gives each request a token of its own, from a widget that goes with it', async () => {
    const { challenges, ask } = scripted();
    for (const token of ['one', 'two']) {
      const asked = ask();
      await settled();
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

  it('has the widget ask again while a challenge is open, and opens no second one', async () => {
    const { challenges, ask } = scripted();
    const early = ask();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(early).toEqual({ token: '' });
    const late = ask();
    await settled();
    challenges[0]!.solve('one');
    await settled();
    expect(late).toEqual({ token: 'one' });
    expect(challenges).toHaveLength(1);
  });

  it('gives the token to whoever asked last, and to nobody else', async () => {
    const { challenges, ask } = scripted();
    const [first, last] = [ask(), ask()];
    await settled();
    challenges[0]!.solve('one');
    await settled();
    expect([first, last]).toEqual([{ token: '' }, { token: 'one' }]);
  });

  it('keeps for the next a token that came when nobody waited, once, and for a minute', async () => {
    const { challenges, ask } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(5_000);
    challenges[0]!.solve('one');
    await vi.advanceTimersByTimeAsync(59_000);
    const next = ask();
    await settled();
    expect(next).toEqual({ token: 'one' });
    ask();
    await vi.advanceTimersByTimeAsync(5_000);
    challenges[1]!.solve('two');
    await vi.advanceTimersByTimeAsync(61_000);
    ask();
    await settled();
    expect(challenges).toHaveLength(3);
  });

  it('is rejected when the challenge fails, and tries anew for the next', async () => {
    const { challenges, ask } = scripted();
    const asked = ask();
    await settled();
    const error = new Error('closed');
    challenges[0]!.fail(error);
    await settled();
    expect(asked).toEqual({ error });
    expect(challenges[0]!.ended.aborted).toBe(true);
    ask();
    await settled();
    expect(challenges).toHaveLength(2);
  });

  it('tells of a failure that came between two asks of one question, and of no older one', async () => {
    const { challenges, ask } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(1_100);
    const error = new Error('closed');
    challenges[0]!.fail(error);
    await vi.advanceTimersByTimeAsync(200);
    const again = ask();
    await settled();
    expect(again).toEqual({ error });

    ask();
    await vi.advanceTimersByTimeAsync(1_100);
    challenges[1]!.fail(error);
    await vi.advanceTimersByTimeAsync(1_100);
    const other = ask();
    await settled();
    expect(other).toEqual({});
    expect(challenges).toHaveLength(3);
  });

  it('gives a challenge up after two minutes', async () => {
    const { challenges, ask } = scripted();
    ask();
    await vi.advanceTimersByTimeAsync(119_900);
    const last = ask();
    await vi.advanceTimersByTimeAsync(200);
    expect(last).toEqual({ error: expect.any(Error) });
    expect(challenges[0]!.ended.aborted).toBe(true);
    expect(challenges[0]!.place.isConnected).toBe(false);
  });
});
