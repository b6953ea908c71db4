/** Loaded into a process that is measured (`--import`): says what it has used so far, and what it holds. */
const ANSWERS = {
  /** Microseconds of all its threads, in its own code and in the system's. */
  processor: () => {
    const { user, system } = process.cpuUsage();
    return { user, system };
  },
  /** Bytes, once nothing is left to be collected. */
  memory: () => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heap: heapUsed + external, rss };
  },
};

process.on('message', (question) => process.send(ANSWERS[question]()));
// Listening must not keep it alive.
process.channel.unref();
