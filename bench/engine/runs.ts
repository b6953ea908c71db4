/** Starts a run in another process: `GET /?first=0&count=3000&atOnce=256`. The response is the time of the run. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @param run the measured function */
export async function serveRuns(
  run: (first: number, count: number, atOnce: number) => Promise<void>,
): Promise<void> {
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    const [first = 0, count = 0, atOnce = 0] = ['first', 'count', 'atOnce'].map((name) =>
      Number(searchParams.get(name)),
    );
    const started = performance.now();
    await run(first, count, atOnce);
    response.end(JSON.stringify({ seconds: (performance.now() - started) / 1000 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
}

/** @returns seconds */
export async function startRun(
  { origin }: { readonly origin: string },
  first: number,
  count: number,
  atOnce: number,
): Promise<number> {
  const response = await fetch(`${origin}/?first=${first}&count=${count}&atOnce=${atOnce}`);
  const { seconds } = (await response.json()) as { seconds: number };
  return seconds;
}
