/** What the results of a random sample say about the whole list. */
import { figure } from '../../core/format.ts';

export interface Forecast {
  /** The share of addresses that can be sent to, and the least and most that it is 19 times out of 20. */
  readonly share: number;
  readonly least: number;
  readonly most: number;
}

/** Two-sided, 95 %. */
const Z = 1.96;

/**
 * The interval of Wilson (1927), which also holds for shares near 0 and 1, narrowed for a sample that is a large part of
 * its list.
 *
 * @param good how many of the sample can be sent to
 * @param verified how many of the sample have a result
 * @param all all addresses of the list
 */
export function forecastOf(good: number, verified: number, all: number): Forecast {
  const rate = good / verified;
  const rest = all > 1 ? Math.max(0, (all - verified) / (all - 1)) : 0;
  const z = Z * Z * rest;
  const centre = (rate + z / (2 * verified)) / (1 + z / verified);
  const margin =
    (Math.sqrt(z) / (1 + z / verified)) *
    Math.sqrt((rate * (1 - rate)) / verified + z / (4 * verified * verified));
  return { share: rate, least: Math.max(0, centre - margin), most: Math.min(1, centre + margin) };
}

const WHOLE = 100;
const inPercent = (rate: number) => `${Math.round(WHOLE * rate)} %`;

/** `You can probably send to 81 % of the 12,000 addresses: …` */
export function sayForecast(good: number, verified: number, all: number): string {
  const { least, most } = forecastOf(good, verified, all);
  const [from, to] = [Math.round(least * all), Math.round(most * all)];
  const range =
    from === to
      ? `That is ${figure(from)} addresses.`
      : `In 19 of 20 lists with such a sample, it is between ${inPercent(least)} and ${inPercent(most)}: here, ${figure(from)} to ${figure(to)} addresses.`;
  return `You can probably send to about ${inPercent(good / verified)} of the ${figure(all)} addresses. ${range}`;
}
