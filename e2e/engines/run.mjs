/** Runs commands that install something. None of them can hang the tests, whatever the network does. */
import { spawn } from 'node:child_process';

/** In milliseconds. */
const LIMITS = {
  /** All downloads are some 500 MB: a quarter of an hour allows for 0.6 MB/s. */
  whole: 900_000,
  /** Downloads and package managers print as they go: one that has been silent this long has hung. */
  silence: 45_000,
};

/**
 * Runs one command and shows its output on standard error. Ends it, with all that it has started, if it takes too long
 * or hangs.
 *
 * @returns {Promise<boolean>} whether it has succeeded
 */
export function run(command, parameters, { whole, silence } = LIMITS) {
  console.error(`> ${command === process.execPath ? 'node' : command} ${parameters.join(' ')}`);
  return new Promise((resolve) => {
    const child = spawn(command, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000', ...process.env },
      // Its children are in its group. They would hold the pipes open, and the keyboard does not reach them.
      detached: process.platform !== 'win32',
    });
    const end = (why) => {
      console.error(`  ${why}: stopped`);
      if (process.platform === 'win32') child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    };
    const interrupt = () => {
      end('interrupted');
      process.exit(130);
    };
    process.once('SIGINT', interrupt);
    const limit = setTimeout(end, whole, 'took too long');
    let silent = setTimeout(end, silence, 'hung');
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        process.stderr.write(chunk);
        clearTimeout(silent);
        silent = setTimeout(end, silence, 'hung');
      });
    }
    const finish = (succeeded) => {
      process.off('SIGINT', interrupt);
      clearTimeout(limit);
      clearTimeout(silent);
      resolve(succeeded);
    };
    child.on('error', (error) => {
      console.error(`  ${error.message}`);
      finish(false);
    });
    child.on('close', (status) => finish(status === 0));
  });
}
