/** Loaded into a process that is measured (`--import`): says what it has used so far, what it holds, and what it does. */
import { Session } from 'node:inspector/promises';

const SAMPLE_US = 200;
const session = new Session();

const ANSWERS = {
  /** Microseconds of all its threads, in its own code and in the system's. */
  processor: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** The most bytes that it has held at any moment. */
  peak: () => process.resourceUsage().maxRSS * 1024,
  /** Bytes, once nothing is left to be collected. */
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
  /** What has been running since. */
  profile: async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return profile;
  },
};

process.on('message', async (question) => process.send((await ANSWERS[question]()) ?? null));
// Listening must not keep it alive.
process.channel.unref();
