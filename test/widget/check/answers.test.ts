import { describe, expect, it, vi } from 'vitest';
import { parseResult } from '../../../src/protocol/result.ts';
import { createAnswers } from '../../../src/widget/check/answers.ts';
import type { Answer, Exchange, Outcome } from '../../../src/widget/check/request.ts';

const JOE = 'joe@shop.example';
const BODY = '{"state":"risky"}';
const ANSWER = { status: 200, body: BODY, _result: parseResult(BODY) } as Answer;
const FAILURE = { status: 429, message: 'Rate Limit Exceeded' };

/** What is asked of the service: each question, and how to end it. */
function scriptQuestions() {
  const questions: { end(outcome: Outcome): Promise<void>; abort: ReturnType<typeof vi.fn> }[] = [];
  const start = vi.fn((): Exchange => {
    let resolve: (outcome: Outcome) => void = () => {};
    const outcome = new Promise<Outcome>((settle) => (resolve = settle));
    const abort = vi.fn<() => void>();
    questions.push({
      abort,
      async end(ending) {
        resolve(ending);
        await outcome;
        await Promise.resolve();
      },
    });
    return { _outcome: outcome, _abort: abort };
  });
  const question = (number: number) => {
    const found = questions[number - 1];
    if (!found) throw new Error(`Question ${number} was not asked.`);
    return found;
  };
  return { start, question };
}

describe('a result', () => {
  it('is remembered under every spelling of its address', async () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    expect(answers._recall(JOE)).toBeUndefined();
    answers._ask(JOE, start);
    expect(answers._recall(JOE)).toBeUndefined();
    await question(1).end(ANSWER);
    expect(answers._recall(JOE)).toBe(ANSWER);
    expect(answers._recall('joe@SHOP.example')).toBe(ANSWER);
    expect(answers._recall('Joe@shop.example')).toBeUndefined();
    expect(answers._recall('ann@shop.example')).toBeUndefined();
  });

  it('is not shared with another page', async () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    answers._ask(JOE, start);
    await question(1).end(ANSWER);
    expect(createAnswers()._recall(JOE)).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'toString'])('does not exist for %s before it has arrived', (name) => {
    expect(createAnswers()._recall(name)).toBeUndefined();
  });
});

describe('a failure', () => {
  it('is not remembered, so the address is verified again', async () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    await Promise.all([answers._ask(JOE, start)._outcome, question(1).end(FAILURE)]);
    expect(answers._recall(JOE)).toBeUndefined();
    answers._ask(JOE, start);
    expect(start).toHaveBeenCalledTimes(2);
  });
});

describe('two inquiries about the same address', () => {
  it('share one request and its outcome', async () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    const one = answers._ask(JOE, start);
    const other = answers._ask('joe@SHOP.EXAMPLE', start);
    expect(start).toHaveBeenCalledTimes(1);
    await question(1).end(ANSWER);
    expect(await one._outcome).toBe(ANSWER);
    expect(await other._outcome).toBe(ANSWER);
  });

  it('send two requests for different addresses', () => {
    const answers = createAnswers();
    const { start } = scriptQuestions();
    answers._ask(JOE, start);
    answers._ask('ann@shop.example', start);
    expect(start).toHaveBeenCalledTimes(2);
  });

  it('abort the request only when both have ended', () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    const one = answers._ask(JOE, start);
    const other = answers._ask(JOE, start);
    one._abort();
    expect(question(1).abort).not.toHaveBeenCalled();
    answers._ask(JOE, start)._abort();
    expect(question(1).abort).not.toHaveBeenCalled();
    expect(start).toHaveBeenCalledTimes(1);
    other._abort();
    expect(question(1).abort).toHaveBeenCalledTimes(1);
  });
});

describe('an aborted request', () => {
  it('is sent again for the next inquiry', () => {
    const answers = createAnswers();
    const { start } = scriptQuestions();
    answers._ask(JOE, start)._abort();
    answers._ask(JOE, start);
    expect(start).toHaveBeenCalledTimes(2);
  });

  it('does not end the request after it', async () => {
    const answers = createAnswers();
    const { start, question } = scriptQuestions();
    answers._ask(JOE, start)._abort();
    answers._ask(JOE, start);
    await question(1).end({ status: 0, message: '' });
    answers._ask(JOE, start);
    expect(start).toHaveBeenCalledTimes(2);
    expect(question(2).abort).not.toHaveBeenCalled();
  });
});

it('allows to cancel an inquiry after its end', async () => {
  const answers = createAnswers();
  const { start, question } = scriptQuestions();
  const past = answers._ask(JOE, start);
  await question(1).end(FAILURE);
  answers._ask(JOE, start);
  past._abort();
  expect(question(2).abort).not.toHaveBeenCalled();
  answers._ask(JOE, start);
  expect(start).toHaveBeenCalledTimes(2);
});

it('remembers a thousand results, and forgets them all with the next', async () => {
  const answers = createAnswers();
  const { start, question } = scriptQuestions();
  const address = (number: number) => `visitor-${number}@shop.example`;
  const known = () => Array.from({ length: 1001 }, (_, index) => answers._recall(address(index + 1)));
  for (let number = 1; number <= 1001; number++) {
    answers._ask(address(number), start);
    await question(number).end(ANSWER);
    if (number === 1000) expect(known().filter(Boolean)).toHaveLength(1000);
  }
  expect(known().filter(Boolean)).toHaveLength(1);
  expect(answers._recall(address(1001))).toBe(ANSWER);
});
