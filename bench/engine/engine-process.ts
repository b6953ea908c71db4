/**
 * The engine in a separate process.
 *
 *   node engine-process.mjs 127.0.0.1:5353 2525   name server and port of the mail servers
 *
 * `GET /?first=0&count=3000&atOnce=256` verifies so many addresses, and returns the time that it took.
 */
import { createEngine } from '../../src/engine/engine.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../src/engine/facts/operator-lists.ts';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/engine/options.ts';
import { createMemoryPacing } from '../../src/engine/pacing/memory-pacing.ts';
import { addressesFrom, CONNECTIONS, RECIPIENTS } from './places.ts';
import { serveRuns } from './runs.ts';

const [dns = '', port = ''] = process.argv.slice(2);
const TIMEOUT_MS = 10_000;

const engine = createEngine({
  options: {
    ...DEFAULT_ENGINE_OPTIONS,
    helo: 'bench.test',
    mailFrom: 'probe@bench.test',
    dns: [dns],
    smtpPort: Number(port),
    perHost: { connections: CONNECTIONS, perMinute: 1_000_000, recipientsPerConnection: RECIPIENTS },
    allowPrivateAddresses: true,
  },
  facts: createEngineFacts(loadPublishedLists()),
  pacing: createMemoryPacing(),
  onFault(error) {
    throw error;
  },
});

await serveRuns(async (first, count, atOnce) => {
  const left = addressesFrom(first, count).values();
  const worker = async () => {
    for (const address of left) {
      const { result } = await engine.verifyWithin({
        address,
        smtp: true,
        acceptAll: false,
        timeoutMs: TIMEOUT_MS,
      });
      // A verdict of another kind may be quicker.
      if (result.reason !== 'accepted_email')
        throw new Error(`Expected accepted_email, got ${result.reason}.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
});
