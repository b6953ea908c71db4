/** The responses to a load, and figures from them. */
import { quantile } from '../statistics.ts';

/** One request. An array, to save memory for many of them. */
export type Answer = readonly [
  /** Its due time, in milliseconds since the load began. */
  atMs: number,
  /** The milliseconds from the due time to the response. */
  tookMs: number,
  /** 0 if the connection broke or could not be made. */
  status: number,
  /** Whether the result cost a credit: only those with the state `unknown` do not. */
  costs: boolean,
  /** The delay in the client, because the client was busy and not the service. */
  lateMs: number,
];

export const REFUSED = [429, 503];

export interface Summary {
  readonly count: number;
  /** 200s. */
  readonly answered: number;
  readonly tryAgain: number;
  readonly refused: number;
  /** All other statuses. */
  readonly others: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refusalP99: number;
}

/** @param seconds the duration of the load */
export function summarise(answers: readonly Answer[], seconds: number): Summary {
  const timesOf = (isWanted: (status: number) => boolean) =>
    answers.filter(([, , status]) => isWanted(status)).map(([, tookMs]) => tookMs);
  const answered = timesOf((status) => status === 200);
  const tryAgain = timesOf((status) => status === 249);
  const refused = timesOf((status) => REFUSED.includes(status));
  // A 249 is a request that was accepted and is late.
  const taken = [...answered, ...tryAgain];
  return {
    count: answers.length,
    answered: answered.length,
    tryAgain: tryAgain.length,
    refused: refused.length,
    others: answers.length - taken.length - refused.length,
    perSecond: answered.length / seconds,
    p50: quantile(taken, 0.5),
    p99: quantile(taken, 0.99),
    refusalP99: quantile(refused, 0.99),
  };
}

const WINDOW_MS = 1_000;

/**
 * The seconds from a moment until the first second without refusals whose median is within the bound. It counts to the end
 * of that second, and is NaN if there is none.
 */
export function secondsToRecover(
  answers: readonly Answer[],
  fromMs: number,
  untilMs: number,
  boundMs: number,
): number {
  for (let begin = fromMs; begin + WINDOW_MS <= untilMs; begin += WINDOW_MS / 4) {
    const inWindow = answers.filter(([atMs]) => atMs >= begin && atMs < begin + WINDOW_MS);
    const times = inWindow.map(([, tookMs]) => tookMs);
    const isWell = inWindow.length > 0 && inWindow.every(([, , status]) => status === 200 || status === 249);
    if (isWell && quantile(times, 0.5) <= boundMs) return (begin + WINDOW_MS - fromMs) / 1_000;
  }
  return Number.NaN;
}

/**
 * The random due times of requests with so many per second, as from many clients (Poisson).
 *
 * @param random returns numbers from 0 to 1
 */
export function arrivals(
  stages: readonly (readonly [perSecond: number, seconds: number])[],
  random: () => number,
): number[] {
  const due: number[] = [];
  let begin = 0;
  for (const [perSecond, seconds] of stages) {
    const end = begin + seconds * 1_000;
    for (let at = begin; ; ) {
      at += (-Math.log(1 - random()) / perSecond) * 1_000;
      if (at >= end) break;
      due.push(at);
    }
    begin = end;
  }
  return due;
}
