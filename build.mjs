/**
 * Builds what is run or published, into dist/. Fails if a file of the widget exceeds its size budget.
 *
 *   node build.mjs                    build all parts
 *   node build.mjs --if-stale         build the parts whose sources have changed since
 *   node build.mjs --if-stale PART…   only these of them: src/build/parts.mjs lists them
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sayFault, sayOlder } from './src/build/fault.mjs';
import { makePart } from './src/build/make.mjs';
import { PARTS } from './src/build/parts.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

const isForced = !process.argv.includes('--if-stale');
const named = process.argv.slice(2).filter((word) => word !== '--if-stale');
const unknown = named.find((word) => !PARTS.some(({ name }) => name === word));
if (unknown !== undefined) {
  const names = PARTS.map(({ name }) => name).join(', ');
  console.error(`Expected --if-stale or some of ${names}, got ${unknown}.`);
  process.exit(2);
}
const isWhole = named.length === 0;
const wanted = PARTS.filter(({ name }) => isWhole || named.includes(name));

try {
  // It takes as long as all others together, and shares nothing with them.
  const besides = isWhole ? buildBesides('reference') : undefined;
  let hasMade = false;
  for (const part of withNeeds(wanted).filter(({ name }) => !besides || name !== 'reference')) {
    const { state, reason } = await makePart(part, { isForced });
    hasMade ||= state === 'made';
    if (state === 'kept') console.error(sayOlder(reason));
  }
  if (isWhole && hasMade && (await (await import('./src/build/sizes.mjs')).weighAll())) process.exitCode = 1;
  if ((await besides) > 0) process.exitCode = 1;
} catch (error) {
  // esbuild has said its own faults.
  if (!error.errors) console.error(sayFault(error));
  process.exit(1);
}

/** With the parts that these are made of, in order. */
function withNeeds(parts) {
  return PARTS.filter(
    (part) => parts.includes(part) || parts.some(({ needs }) => needs?.includes(part.name)),
  );
}

/** @returns its exit code */
async function buildBesides(name) {
  const flags = isForced ? [] : ['--if-stale'];
  const child = spawn(process.execPath, ['build.mjs', ...flags, name], { stdio: 'inherit' });
  process.on('exit', () => child.kill());
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
