/**
 * Asks servers for `/healthz` until its input ends, and prints the longest wait for each in milliseconds. It is a process
 * of its own, because a busy client would measure itself.
 *
 *   node bench/batch/watch-health.mjs <origin>…
 */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const BETWEEN_MS = 5;
const origins = process.argv.slice(2);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

/** @param {string} origin */
async function watch(origin) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let [longest, count] = [0, 0];
  while (!isOver) {
    const began = performance.now();
    await new Promise((done, failed) => {
      get(`${origin}/healthz`, { agent }, (response) => response.resume().on('end', done)).on(
        'error',
        failed,
      );
    });
    longest = Math.max(longest, performance.now() - began);
    count += 1;
    await pause(BETWEEN_MS);
  }
  agent.destroy();
  return { longest, count };
}

console.log('watching');
console.log(JSON.stringify(await Promise.all(origins.map(watch))));
