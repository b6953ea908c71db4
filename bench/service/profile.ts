/** Assigns the service's time to its source files and packages. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { Profile, ProfileNode, Share } from '../widget/profile.ts';

type CallFrame = ProfileNode['callFrame'];

/** The shares, the largest first. Node's work for a function counts for the function, all other work of Node for Node. */
export function sharesOf({ nodes, samples }: Profile): Share[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap((parent) => (parent.children ?? []).map((child) => [child, parent] as const)),
  );
  const maps = createMaps();
  const found = new Map<string, number>();
  let total = 0;
  for (const id of samples) {
    let node = byId.get(id);
    if (!node || node.callFrame.functionName === '(idle)') continue;
    while (node && placeOf(node.callFrame, maps) === undefined) node = parents.get(node.id);
    const place = (node && placeOf(node.callFrame, maps)) ?? 'Node';
    found.set(place, (found.get(place) ?? 0) + 1);
    total += 1;
  }
  return [...found]
    .map(([place, count]) => ({ place, share: count / total }))
    .sort((a, b) => b.share - a.share);
}

/** The source map of a built script, or `undefined` for any other script. */
type Maps = (url: string) => SourceMap | undefined;

function createMaps(): Maps {
  const read = new Map<string, SourceMap>();
  return (url) => {
    if (!/^file:.*\/(dist|test-results)\//.test(url)) return undefined;
    let map = read.get(url);
    if (!map) {
      map = new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8')));
      read.set(url, map);
    }
    return map;
  };
}

/** @returns the source, or `undefined` for Node's own code */
function placeOf({ functionName, url, lineNumber, columnNumber }: CallFrame, maps: Maps) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  // Native code. It includes the system's work, such as waking a sleeping client.
  if (/^write(v|\w+String)$/.test(functionName)) return 'sending the answer';
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (inPackage !== undefined) return inPackage;
  const map = maps(url);
  if (!map) return undefined;
  const { originalSource } = map.findEntry(lineNumber, columnNumber) as { originalSource?: string };
  return originalSource?.replace(/^.*src\/(service\/)?/, '');
}
