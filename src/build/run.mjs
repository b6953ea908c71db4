/**
 * Starts the service from its sources: `npm start` and `npm run service`. What the service runs from is built before. All
 * else is built by child processes while the service runs already (`Making` in src/service/app/run.ts). If the build is
 * whole, there is no child, and no tool of the build is loaded.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { sayOlder } from './fault.mjs';
import { isFresh } from './fresh.mjs';
import { PARTS } from './parts.mjs';

const FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const BACKGROUND = fileURLToPath(new URL('background.mjs', import.meta.url));
const { PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;

class NotMadeError extends Error {}
let hasSaidKept = false;

const stale = PARTS.filter((part) => part.atStart && !isFresh(FOLDER, part));
const now = createBuilder(stale.filter(({ atStart }) => atStart !== 'after'));
const later = createBuilder(stale.filter(({ atStart }) => atStart === 'after'));

now.begin(PRIORITY_NORMAL);
try {
  await now.made.programs;
  const loading = import('../../dist/service/run.js');
  await now.made.scripts;
  const { run } = await loading;
  const making = { widget: now.made.widget, ...later.made };
  await run({ folder: FOLDER, parameters: process.argv.slice(2), making });
} catch (error) {
  if (!(error instanceof NotMadeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
later.begin(PRIORITY_LOW);
for (const builder of [now, later]) builder.letGo();

/** Once: whatever keeps one part from being built keeps the others as well. */
function sayKept(reason) {
  if (!hasSaidKept) process.stderr.write(`${sayOlder(reason)}\n`);
  hasSaidKept = true;
}

/** Each part is a promise, which is rejected with a `NotMadeError` if it cannot be made. */
function createBuilder(parts) {
  const names = parts.map(({ name }) => name);
  const settle = {};
  const made = {};
  for (const name of names) {
    made[name] = new Promise((resolve, reject) => {
      settle[name] = { resolve, reject };
    });
    // Who needs the part handles it.
    made[name].catch(() => {});
  }
  let child;

  /** The threads of a process that has just begun get its priority. */
  function begin(priority) {
    if (names.length === 0) return;
    // Standard output belongs to the service. A child that outlives it holds nothing of its terminal.
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
    child = spawn(process.execPath, [BACKGROUND, ...names], { cwd: FOLDER, stdio });
    if (priority !== PRIORITY_NORMAL && child.pid !== undefined) setPriority(child.pid, priority);
    process.on('exit', () => child.kill('SIGKILL'));
    child.on('message', hear);
    // The channel closes when its last message has been read.
    Promise.all([once(child, 'exit'), once(child, 'disconnect')]).then(
      ([[code, signal]]) =>
        giveUp(`Expected the build to end by itself, got ${signal ?? `exit code ${code}`}.`),
      (error) => giveUp(error.message),
    );
  }

  function hear({ name, state, reason }) {
    if (state === 'kept') sayKept(reason);
    if (state === 'failed') settle[name].reject(new NotMadeError(reason));
    else settle[name].resolve();
  }

  function giveUp(message) {
    for (const { reject } of Object.values(settle)) reject(new NotMadeError(message));
  }

  /** A service that has ended by itself, or has only shown its help, does not wait for the build. */
  function letGo() {
    child?.unref();
    child?.channel?.unref();
  }

  return { made, begin, letGo };
}
