/** Loaded into a process that is measured (`--import`): says what it holds, once nothing is left to be collected. */
process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ heap: heapUsed + external, rss });
});
// Listening must not keep it alive.
process.channel.unref();
