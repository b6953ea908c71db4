/** Assigns the widget's own time to functions of its sources. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { Visitor } from './lab.ts';

const SAMPLE_US = 50;

export interface Share {
  /** The function's file and line in `src/`. Work of the browser counts for the function that calls it. */
  readonly place: string;
  readonly share: number;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: number[];
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** The running node at each sample, and the microseconds since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * Runs something a few times, and returns the widget's functions by their time, the largest first.
 *
 * @param prepare runs before each time, and is not measured
 */
export async function profile(
  visitor: Visitor,
  times: number,
  prepare: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<Share[]> {
  const { tab } = visitor;
  await tab.send('Profiler.enable');
  await tab.send('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  const found = new Map<string, number>();
  let total = 0;
  for (let time = 0; time < times; time += 1) {
    await prepare();
    await tab.send('Profiler.start');
    await act();
    const { profile } = await tab.send<{ profile: Profile }>('Profiler.stop');
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
    const parents = new Map(
      [...nodes.values()].flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
    );
    for (const [index, id] of profile.samples.entries()) {
      let node = nodes.get(id);
      // The browser's own functions have no URL. They count for their caller.
      while (node && !node.callFrame.url.includes('/script.js')) node = nodes.get(parents.get(node.id) ?? 0);
      if (!node) continue;
      const took = profile.timeDeltas[index + 1] ?? 0;
      const place = placeOf(node.callFrame);
      found.set(place, (found.get(place) ?? 0) + took);
      total += took;
    }
  }
  await tab.send('Profiler.disable');
  return [...found]
    .map(([place, took]) => ({ place, share: took / total }))
    .sort((a, b) => b.share - a.share);
}

export function sayShares(shares: readonly Share[], count = 4): string {
  return shares
    .slice(0, count)
    .map(({ place, share }) => `${place} ${Math.round(share * 100)} %`)
    .join(', ');
}

let map: SourceMap | undefined;

function placeOf({ lineNumber, columnNumber }: ProfileNode['callFrame']): string {
  map ??= new SourceMap(JSON.parse(readFileSync('dist/widget.js.map', 'utf8')));
  const entry = map.findEntry(lineNumber, columnNumber) as { originalSource?: string; originalLine?: number };
  if (!entry.originalSource) return 'widget.js';
  return `${entry.originalSource.replace(/^.*src\//, '')}:${(entry.originalLine ?? 0) + 1}`;
}
