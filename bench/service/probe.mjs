/** Loaded into a measured process (`--import`). It reports processor time, memory and profiles. */
import { Session } from 'node:inspector/promises';

const SAMPLE_US = 200;
const session = new Session();

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
