/**
 * The mock service of our own browser tests: a sandbox of the testing kit in which every address is deliverable, except
 * `NO` and `MISSPELT`, behind a server with one more path.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { undeliverable } from '../../src/testing/replies.ts';
import { type Sandbox, startSandbox } from '../../src/testing/sandbox.ts';
import { MEANT, MISSPELT, NO } from '../pages/documents.ts';

/** What happens to a file that the widget loads: it comes at once, 2 s late, never, or with other contents. */
export type FileFate = 'on time' | 'late' | 'missing' | 'changed';

export type MockService = Sandbox & {
  /** The fate of the widget's second file. */
  face: FileFate;
  /** The fate of the file for `debug`. */
  debug: FileFate;
};

const FACE = '/email-verify-widget-status.js';
const DEBUG = '/email-verify-widget-debug.js';
const LATE_MS = 2_000;
/** As long as any other wait of a test, because on a busy machine a request may take its time. */
const NEXT_REQUEST_LIMIT_MS = 120_000;

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
    let face: FileFate = 'on time';
    let debug: FileFate = 'on time';
    const fateOf = (url = '') => (url.includes(FACE) ? face : url.includes(DEBUG) ? debug : 'on time');
    const server = createServer((request, response) => {
      const fate = fateOf(request.url);
      if (fate !== 'on time') {
        if (fate === 'late') setTimeout(() => void sandbox.handle(request, response), LATE_MS);
        else if (fate === 'missing') response.writeHead(404, { 'access-control-allow-origin': '*' }).end();
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
          nextRequest: (limitMs = NEXT_REQUEST_LIMIT_MS) => sandbox.nextRequest(limitMs),
          [Symbol.asyncDispose]: stop,
          get face() {
            return face;
          },
          set face(fate: FileFate) {
            face = fate;
          },
          get debug() {
            return debug;
          },
          set debug(fate: FileFate) {
            debug = fate;
          },
        }),
      },
    ) as MockService;
  },
};
