/** What one verification does about its domain, step by step and without a mail server. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Claim, DomainFacts, ProbeAnswer } from '../../../src/engine/domains/domain-facts.ts';
import {
  createDomainQuestion,
  type DomainQuestionOptions,
} from '../../../src/engine/domains/domain-question.ts';
import { createMemoryDomainFacts } from '../../../src/engine/domains/memory-domain-facts.ts';
import { createRecorder } from '../../../src/engine/recorder.ts';

const DOMAIN = { name: 'company.example', organisation: 'host.example' };
const ACCEPTED: ProbeAnswer = { acceptsAll: true, server: 'mx.host.example', code: 250 };
const REFUSED: ProbeAnswer = { acceptsAll: false, server: 'mx.host.example', code: 550 };
const IN_VAIN: ProbeAnswer = { acceptsAll: null, server: 'mx.host.example', code: 450 };
const CALLER_MS = 1000;
const never = new AbortController().signal;

let facts: DomainFacts;
let over: AbortController;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  facts = createMemoryDomainFacts();
  over = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

function open(options: Partial<Omit<DomainQuestionOptions, 'domain' | 'recorder'>> = {}) {
  const recorder = createRecorder();
  const budget = { signal: over.signal, callerMs: () => CALLER_MS };
  const question = createDomainQuestion({
    ...{ facts, domain: DOMAIN, mayAsk: true, inBackground: false, budget, recorder },
    ...options,
  });
  return { ...question, steps: recorder.steps };
}
const claim = async () => (await facts.claim(DOMAIN, never)) as Claim;
const learn = async (answer: ProbeAnswer) => (await claim()).end(answer);
const look = () => facts.look(DOMAIN, never);

describe('before a conversation', () => {
  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])(
    'another one is awaited, if this one may ask: %s, in the background: %s, so %s',
    async (mayAsk, inBackground, expected) => {
      await claim();
      expect(await open({ mayAsk, inBackground }).isAskedElsewhere()).toBe(expected);
    },
  );

  it('nothing is awaited while nobody asks, and when it is known', async () => {
    expect(await open({ inBackground: true }).isAskedElsewhere()).toBe(false);
    await learn(REFUSED);
    expect(await open({ inBackground: true }).isAskedElsewhere()).toBe(false);
  });
});

describe('the impossible address', () => {
  it('is sent by one conversation', async () => {
    const [first, second] = [open(), open()];
    expect(await first.mayProbe()).toBe(true);
    expect(await look()).toEqual({ kind: 'asked' });
    expect(await second.mayProbe()).toBe(false);
    await second.end(false);
    expect(await look()).toEqual({ kind: 'asked' });
  });

  it.each([ACCEPTED, REFUSED, IN_VAIN])('is not sent when it is known: %o', async (answer) => {
    await learn(answer);
    const [claiming, settled] = [vi.fn(facts.claim), vi.fn(facts.settled)];
    const question = open({ facts: { ...facts, claim: claiming, settled } });
    expect(await question.mayProbe()).toBe(false);
    expect(await question.conclude()).toEqual({ acceptsAll: answer.acceptsAll });
    // Each would cost a round trip.
    expect(claiming).not.toHaveBeenCalled();
    expect(settled).not.toHaveBeenCalled();
  });

  it.each([ACCEPTED, REFUSED, IN_VAIN])('leaves its answer to others: %o', async (answer) => {
    const question = open();
    await question.mayProbe();
    question.probed(answer);
    await question.end(false);
    expect(await look()).toMatchObject({ kind: 'known', fact: answer });
    expect(await question.conclude()).toEqual({ acceptsAll: answer.acceptsAll });
    expect(question.steps).toEqual([]);
  });

  it('leaves nothing to others if it was not sent, or was cut off without a reply', async () => {
    const unsent = open();
    await unsent.mayProbe();
    await unsent.end(false);
    expect(await look()).toEqual({ kind: 'unknown' });
    const stopped = open();
    await stopped.mayProbe();
    await stopped.end(true);
    expect(await look()).toEqual({ kind: 'unknown' });
    const cutOff = open();
    await cutOff.mayProbe();
    cutOff.probed(IN_VAIN);
    await cutOff.end(true);
    expect(await look()).toEqual({ kind: 'unknown' });
  });

  it.each([ACCEPTED, REFUSED])('leaves an answer although the service stops: %o', async (answer) => {
    const question = open();
    await question.mayProbe();
    question.probed(answer);
    await question.end(true);
    expect(await look()).toMatchObject({ kind: 'known', fact: answer });
  });

  it('is given back once', async () => {
    const end = vi.fn(async () => {});
    const question = open({ facts: { ...facts, claim: async () => ({ kind: 'claimed', end }) } });
    await question.mayProbe();
    question.probed(REFUSED);
    await question.end(false);
    await question.end(false);
    expect(end).toHaveBeenCalledExactlyOnceWith(REFUSED);
  });

  it('holds no verdict up when the facts are slow', async () => {
    const slow: DomainFacts = {
      ...facts,
      claim: async () => ({ kind: 'claimed', end: () => new Promise(() => {}) }),
    };
    const question = open({ facts: slow });
    await question.mayProbe();
    const ended = question.end(false);
    over.abort();
    await ended;
    // Also if the time was over before.
    const late = open({ facts: slow });
    await late.mayProbe();
    await late.end(false);
  });
});

describe('when the real address was accepted', () => {
  it.each([
    [ACCEPTED, 250, 'Not asked: known since 2026-01-01T00:00:00Z, when an impossible address was accepted'],
    [REFUSED, 550, 'Not asked: known since 2026-01-01T00:00:00Z, when an impossible address was refused'],
    [IN_VAIN, 450, 'Not asked: in vain at 2026-01-01T00:00:00Z, as the reply was 450'],
    [{ ...IN_VAIN, code: null }, undefined, 'Not asked: in vain at 2026-01-01T00:00:00Z, as no reply came'],
  ])('what is known counts, and the evidence says so: %o', async (answer, code, text) => {
    await learn(answer);
    const question = open({ mayAsk: false });
    expect(await question.conclude()).toEqual({ acceptsAll: answer.acceptsAll });
    expect(question.steps).toEqual([
      {
        ...{ atMs: 0, stage: 'probe', server: 'mx.host.example', text },
        ...(code !== undefined && { code }),
      },
    ]);
  });

  it('what another conversation finds out meanwhile counts', async () => {
    const other = await claim();
    const question = open();
    await question.mayProbe();
    const concluding = question.conclude();
    await other.end(ACCEPTED);
    expect(await concluding).toEqual({ acceptsAll: true });
    expect(question.steps).toHaveLength(1);
  });

  it.each([
    ['a caller', false, CALLER_MS - 250, { acceptsAll: null }],
    ['nobody', true, CALLER_MS, 'asked-elsewhere'],
  ])(
    'while %s waits for the result, another conversation is awaited for so long',
    async (_, inBackground, ms, expected) => {
      await claim();
      const question = open({ inBackground });
      const concluded = vi.fn();
      void question.conclude().then(concluded);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(concluded).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(concluded).toHaveBeenCalledExactlyOnceWith(expected);
      expect(question.steps).toEqual([]);
    },
  );

  it('the wait ends with the verification', async () => {
    await claim();
    const concluding = open().conclude();
    over.abort();
    expect(await concluding).toEqual({ acceptsAll: null });
  });

  it.each([false, true])(
    'a request that may not ask waits for nobody, in the background: %s',
    async (inBackground) => {
      await claim();
      expect(await open({ mayAsk: false, inBackground }).conclude()).toEqual({ acceptsAll: null });
    },
  );

  it('a request that may not ask goes on without facts that are slow', async () => {
    const slow: DomainFacts = { ...facts, look: () => new Promise(() => {}) };
    const concluded = vi.fn();
    void open({ facts: slow, mayAsk: false }).conclude().then(concluded);
    await vi.advanceTimersByTimeAsync(CALLER_MS - 251);
    expect(concluded).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(concluded).toHaveBeenCalledExactlyOnceWith({ acceptsAll: null });
  });
});
