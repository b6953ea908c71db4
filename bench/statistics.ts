/** What a handful of measured values says: the middle one, and how far they lie apart. */

export interface Spread {
  readonly median: number;
  /** The 5th and the 95th percentile. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** The value below which this share of all lies, between the two nearest where it falls between them. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position % 1);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: median(values),
    low: quantile(values, 0.05),
    high: quantile(values, 0.95),
    count: values.length,
  };
}

/**
 * How many times one is the other. Of values that were taken in turn, each is held against its neighbour: what else
 * the machine did at that moment falls on both alike.
 */
export function pairedRatio(values: readonly number[], bases: readonly number[]): Spread {
  return spreadOf(values.slice(0, bases.length).map((value, index) => value / bases[index]!));
}

/** By how much y grows with each x, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** The same list in an order that differs from round to round, so that nobody always comes first. */
export function inTurn<T>(items: readonly T[], round: number): T[] {
  const start = round % items.length;
  const turned = [...items.slice(start), ...items.slice(0, start)];
  // Every second time backwards: else each would always follow the same one.
  return Math.floor(round / items.length) % 2 ? turned.reverse() : turned;
}
