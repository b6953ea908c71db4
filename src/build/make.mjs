/**
 * Makes a part of the build beside dist/, and puts it in place when it is whole. So a build that is interrupted leaves
 * what was there before, and two builds at once do not disturb each other.
 *
 * Runs in the top folder.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BuildError, cannotBuild, sayFault } from './fault.mjs';
import { filesBelow, fingerprintOf, isFresh, isThere, stampOf } from './fresh.mjs';

/** Ends with the id of the process that builds there. */
const UNFINISHED = /^\.unfinished-.*-(\d+)$/;

/**
 * @returns `fresh` if there was nothing to do, `made`, or `kept` with the reason if nothing can be built here and what
 * is there has to do
 * @throws BuildError for a fault of a source
 */
export async function makePart(part, { isForced = false } = {}) {
  // Before any source is read, so that a change during the build leaves a stale part and not a wrong one.
  const fingerprint = fingerprintOf('.', part.sources);
  if (!isForced && isFresh('.', part, fingerprint)) return { state: 'fresh' };
  const folder = `dist/.unfinished-${part.name}-${process.pid}`;
  const [out, scratch] = [`${folder}/out`, `${folder}/scratch`];
  try {
    // One by one, because Node does not say of a whole path that it is read-only.
    for (const each of ['dist', folder, out, scratch]) makeFolder(each);
    removeRemains();
    expectSources(part, await part.make(out, scratch));
    // Another build may have been faster.
    if (!isForced && isFresh('.', part, fingerprint)) return { state: 'fresh' };
    putInPlace(part, out, fingerprint);
    return { state: 'made' };
  } catch (error) {
    if (isForced || !cannotBuild(error) || !isThere('.', part)) throw error;
    return { state: 'kept', reason: sayFault(error) };
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}

function makeFolder(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Removes what builds have left that were killed. */
function removeRemains() {
  for (const name of readdirSync('dist')) {
    const [, pid] = UNFINISHED.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(`dist/${name}`, { recursive: true, force: true });
  }
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    // In a container without an init, a process that was killed stays in the table.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // Another user's.
    return error.code === 'EPERM';
  }
}

/** A source that the part does not name could change without a new build. */
function expectSources({ name, sources }, inputs) {
  const unknown = inputs.filter(
    (input) =>
      !input.includes('node_modules/') &&
      !sources.some((source) => input === source || input.startsWith(`${source}/`)),
  );
  if (unknown.length === 0) return;
  throw new BuildError(
    `Expected the sources of "${name}" to have all that it is made of, got also ${unknown.join(', ')}. Add it in src/build/parts.mjs.`,
  );
}

/**
 * Replaces file by file, each at once, so that a service that starts meanwhile finds all that it loads. The deepest come
 * first: a program is replaced after the files that it names.
 */
function putInPlace(part, out, fingerprint) {
  const stamp = stampOf(part);
  rmSync(stamp, { force: true });
  const depthOf = (file) => file.split('/').length;
  const files = filesBelow(out).sort((one, other) => depthOf(other) - depthOf(one));
  for (const file of files) {
    mkdirSync(dirname(`dist/${file}`), { recursive: true });
    renameSync(`${out}/${file}`, `dist/${file}`);
  }
  // What an earlier build has left.
  const others = part.outputs
    .flatMap((name) => filesBelow('dist', name))
    .filter((file) => !files.includes(file));
  for (const file of others) rmSync(`dist/${file}`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, fingerprint);
}
