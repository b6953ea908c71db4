/**
 * The mock service of our own browser tests: a sandbox of the testing kit in which every address is deliverable, except
 * `NO` and `MISSPELT`, behind a server with one more path.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undeliverable } from '../../src/testing/replies.ts';
import { type Sandbox, startSandbox } from '../../src/testing/sandbox.ts';
import { MEANT, MISSPELT, NO } from '../pages/documents.ts';

export type MockService = Sandbox;

/** Responds at once, even while requests are held. After this response, all earlier requests of the page have arrived. */
const BARRIER = '/barrier';

export const MockService = {
  /** Starts it on another origin than the pages, and on another site than `localhost`. */
  async start(): Promise<MockService> {
    const sandbox = await startSandbox({
      answers: {
        '*': 'deliverable',
        [NO]: 'undeliverable',
        [MISSPELT]: undeliverable({ did_you_mean: MEANT }),
      },
    });
    const server = createServer((request, response) => {
      if (request.url !== BARRIER) return void sandbox.handle(request, response);
      // Closes the connection. Browsers repeat a request that breaks on a reused connection.
      response.writeHead(204, { 'access-control-allow-origin': '*', connection: 'close' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    async function stop(): Promise<void> {
      await sandbox.stop();
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    }

    // By descriptors, because `asked` is a getter.
    return Object.defineProperties(
      {},
      {
        ...Object.getOwnPropertyDescriptors(sandbox),
        ...Object.getOwnPropertyDescriptors({
          origin,
          url: `${origin}/`,
          stop,
          [Symbol.asyncDispose]: stop,
        }),
      },
    ) as MockService;
  },
};
