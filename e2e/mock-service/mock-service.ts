/**
 * The mock service of our own browser tests: a sandbox of the testing kit in which every address is deliverable, except
 * `NO` and `MISSPELT`, behind a server with one more path.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undeliverable } from '../../src/testing/replies.ts';
import { type Sandbox, startSandbox } from '../../src/testing/sandbox.ts';
import { MEANT, MISSPELT, NO } from '../pages/documents.ts';

/** What happens to the widget's second file: it comes at once, 2 s late, never, or with other contents. */
export type FaceFate = 'on time' | 'late' | 'missing' | 'changed';

export type MockService = Sandbox & { face: FaceFate };

const FACE = '/email-verify-widget-status.js';
const LATE_MS = 2_000;

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
    let face: FaceFate = 'on time';
    const server = createServer((request, response) => {
      if (request.url?.includes(FACE) && face !== 'on time') {
        if (face === 'late') setTimeout(() => void sandbox.handle(request, response), LATE_MS);
        else if (face === 'missing') response.writeHead(404, { 'access-control-allow-origin': '*' }).end();
        else
          response
            .writeHead(200, { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' })
            .end('window.tampered = true;');
        return;
      }
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
          get face() {
            return face;
          },
          set face(fate: FaceFate) {
            face = fate;
          },
        }),
      },
    ) as MockService;
  },
};
