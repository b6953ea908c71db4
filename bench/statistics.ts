/** Statistics of a few measured values: the median and the spread. */

export interface Spread {
  readonly median: number;
  /** The 5th and the 95th percentile. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** The value below which this share of the values lies, interpolated between the two nearest. */
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
 * The ratio of two series that were measured in turn. Each value is compared with its neighbour, so that other work of
 * the machine at that moment affects both equally.
 */
export function pairedRatio(values: readonly number[], bases: readonly number[]): Spread {
  return spreadOf(values.slice(0, bases.length).map((value, index) => value / bases[index]!));
}

/** The slope of y over x, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** The same list in an order that differs from round to round, so that each comes first sometimes. */
export function inTurn<T>(items: readonly T[], round: number): T[] {
  const start = round % items.length;
  const turned = [...items.slice(start), ...items.slice(0, start)];
  // Every second time in reverse. Otherwise each would always follow the same one.
  return Math.floor(round / items.length) % 2 ? turned.reverse() : turned;
}
