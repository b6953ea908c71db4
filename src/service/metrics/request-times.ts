/**
 * The histogram of requests. It keeps plain numbers and gives them to the library when somebody scrapes: the library's own
 * takes more than a microsecond for a request, and this a tenth of that.
 */
import type { Histogram, Registry } from 'prom-client';

const NAME = 'evw_http_request_duration_seconds';
const HELP = 'How long responses to requests took. The route is a pattern, or "none" for an unknown URL.';
const LABELS = ['method', 'route', 'status'] as const;
/** From an answer out of memory to the longest wait for a mail server, in seconds. */
const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.3, 1, 2.5, 5.5, 10, 30];
/** Node's parser knows more of them, and no route takes any of those. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const OTHER = 'other';

/** Adds a request. */
export type CountRequest = (method: string, route: string, status: number, ms: number) => void;

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: string };
  /** How many requests were within each bound and not within the one before. The last one has no bound. */
  readonly counts: number[];
  sum: number;
}

/** Makes the histogram, and adds it to the registry. */
export function createRequestTimes(registry: Registry): CountRequest {
  const byRoute = new Map<string, Map<number, Series>>();
  const all: Series[] = [];

  function seriesOf(method: string, route: string, status: number): Series {
    let ofRoute = byRoute.get(route);
    if (!ofRoute) {
      ofRoute = new Map();
      byRoute.set(route, ofRoute);
    }
    const place = METHODS.indexOf(method);
    // One number for both.
    const key = status * 16 + place;
    let series = ofRoute.get(key);
    if (!series) {
      const labels = { method: METHODS[place] ?? OTHER, route, status: String(status) };
      series = { labels, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
      ofRoute.set(key, series);
      all.push(series);
    }
    return series;
  }

  const metric = {
    ...{ name: NAME, help: HELP, labelNames: [...LABELS] },
    get: async () => ({
      ...{ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum' },
      values: all.flatMap(valuesOf),
    }),
  };
  registry.registerMetric(metric as unknown as Histogram);

  return (method, route, status, ms) => {
    const seconds = ms / 1000;
    const series = seriesOf(method, route, status);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
  };
}

/** As the text form has a histogram: each bucket holds those before it. */
function valuesOf({ labels, counts, sum }: Series) {
  let count = 0;
  const buckets = counts.map((ofBucket, index) => {
    count += ofBucket;
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[index] ?? '+Inf', ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
