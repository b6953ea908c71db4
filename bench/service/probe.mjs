/** Loaded into a measured process (`--import`). It reports processor time, memory and profiles. */
import { Session } from 'node:inspector/promises';

const SAMPLE_US = 200;
const session = new Session();
let looking;
let longest;

const ANSWERS = {
  /** Microseconds of all threads, in user and system mode. */
  processor: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The largest memory so far, in bytes. */
  peak: () => process.resourceUsage().maxRSS * 1024,
  /** The heap in bytes after garbage collection. */
  memory: () => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heap: heapUsed + external, rss };
  },
  /** Begins to look for the longest turn of the event loop. */
  turns: () => {
    longest = { turn: 0, processor: 0 };
    clearInterval(looking);
    let [time, used] = [performance.now(), process.cpuUsage()];
    looking = setInterval(() => {
      const now = performance.now();
      const { user, system } = process.cpuUsage(used);
      longest.turn = Math.max(longest.turn, now - time);
      longest.processor = Math.max(longest.processor, (user + system) / 1000);
      [time, used] = [now, process.cpuUsage()];
    }, 1);
  },
  /** The longest turn since then in milliseconds, and the most processor time of all threads in one turn. */
  longest: () => {
    clearInterval(looking);
    return longest;
  },
  watch: async () => {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
    await session.post('Profiler.start');
  },
  /** The profile since the start. */
  profile: async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  },
};

process.on('message', async (question) => process.send((await ANSWERS[question]()) ?? null));
// Listening must not keep the process alive.
process.channel.unref();
