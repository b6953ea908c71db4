/** One try at a time, with real receivers on loopback. */
import { Resolver } from 'node:dns/promises';
import { getEventListeners } from 'node:events';
import { createServer, type LookupFunction, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallbackRules } from '../../../src/service/config/sections/callbacks-section.ts';
import { webhookHeaders } from '../../../src/service/core/webhook-signature.ts';
import { certificate } from '../../../src/service/demo/certificate.ts';
import { createGuardedLookup } from '../../../src/service/webhooks/guarded-lookup.ts';
import { callableIps } from '../../../src/service/webhooks/receiver-url.ts';
import { createSend, type SendOptions } from '../../../src/service/webhooks/send-webhook.ts';
import { isPublicIp } from '../../../src/shared/public-ip.ts';
import { startDnsServer } from '../../engine/world/dns-server.ts';
import { freePort } from '../../free-port.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { CALLBACK_SECRET } from '../support/account.ts';
import { holdTimers } from '../support/held-timers.ts';
import { type Respond, silence, startReceiver, status } from '../support/receiver.ts';
import { PRIVATE_HOSTS } from './private-hosts.ts';

const PRIVATE =
  'The host has an IP address that callbacks may not go to. It is private, or the operator refuses it.';
const BODY = JSON.stringify({ message: 'Batch verification completed.' });

interface Options extends SendOptions, Partial<CallbackRules> {
  readonly signal?: AbortSignal;
}

function send(url: string, options: Options = {}, body = BODY) {
  const { signal = new AbortController().signal, ...others } = options;
  const headers = webhookHeaders([new Webhook(CALLBACK_SECRET)], 'msg_1', new Date(), body);
  const rules = { allowPrivateAddresses: true, refusedNetworks: [], ...others };
  return createSend(rules, signal, others)({ url, headers, body });
}

/** How a try ends without an answer. */
const failure = (error: string) => ({ status: null, error, isCutOff: false });

/** A receiver that is not HTTP. */
async function startRaw(serve: (socket: Socket) => void): Promise<string> {
  return `http://127.0.0.1:${await listenOnLoopback(createServer(serve))}/`;
}

/** Sends the same again and again, until the receiver has enough. */
function endless(chunk: string | Buffer, first = '') {
  let written = 0;
  const serve = (socket: Socket) => {
    const goOn = () => {
      // Ends a test whose sender reads everything.
      if (socket.destroyed || written === 5_000) return void socket.destroy();
      written += 1;
      if (socket.write(chunk)) setImmediate(goOn);
    };
    socket.on('drain', goOn);
    socket.write(first);
    goOn();
  };
  return { serve, written: () => written };
}

it('posts the body and its headers, and closes the connection', async () => {
  const receiver = await startReceiver();
  const sent = send(receiver.url);
  expect(await sent.answer).toEqual({ status: 200, error: null, isCutOff: false });
  await sent.closed;
  expect(receiver.received).toEqual([
    {
      method: 'POST',
      path: '/hook?token=secret',
      body: BODY,
      headers: expect.objectContaining({
        'content-type': 'application/json',
        'content-length': `${BODY.length}`,
        'user-agent': expect.stringMatching(/^email-verify-service\/\d+\.\d+\.\d+$/),
        connection: 'close',
        'webhook-id': 'msg_1',
      }),
    },
  ]);
});

it('leaves no listener behind', async () => {
  const receiver = await startReceiver();
  const { signal } = new AbortController();
  const sent = Array.from({ length: 20 }, () => send(receiver.url, { signal }));
  await Promise.all(sent.map(({ closed }) => closed));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('sends a large body whole', async () => {
  const receiver = await startReceiver();
  const body = JSON.stringify('é'.repeat(400_000));
  expect(await send(receiver.url, {}, body).answer).toMatchObject({ status: 200 });
  expect(receiver.received[0]!.body).toBe(body);
});

describe('the answer of a receiver', () => {
  it.each([201, 202, 204, 400, 404, 410, 500, 503])('is a failure with the status %s', async (code) => {
    const receiver = await startReceiver(status(code));
    const { answer } = send(receiver.url);
    expect(await answer).toMatchObject({ status: code, error: expect.stringContaining(`${code}`) });
  });

  it.each([301, 302, 303, 307, 308])('is a failure with the status %s, not followed', async (code) => {
    const target = await startReceiver();
    const receiver = await startReceiver(status(code, { location: target.url }));
    const expected = failure(`The receiver answered ${code}. Redirects are not followed.`);
    expect(await send(receiver.url).answer).toEqual({ ...expected, status: code });
    expect(target.received).toEqual([]);
  });

  const NINE = { 'content-length': 9 };
  const ANSWERS: Readonly<Record<string, Respond>> = {
    'hangs in the body': (response) => void response.writeHead(200, NINE).write('a'),
    'breaks off in the body': (response) =>
      void response.writeHead(200, NINE).write('a', () => response.destroy()),
    'sends 100 first': (response) => {
      response.writeContinue();
      response.writeHead(200).end();
    },
  };
  it.each(Object.keys(ANSWERS))('counts when it %s, and the connection is closed soon', async (how) => {
    const receiver = await startReceiver(ANSWERS[how]);
    const soon = holdTimers((ms) => ms === 1_000);
    const { answer, closed } = send(receiver.url);
    expect(await answer).toMatchObject({ status: 200, error: null });
    soon.fire();
    await closed;
    await expect.poll(receiver.connections).toBe(0);
  });

  it('counts when its body has no end, and only the start is read', async () => {
    const { serve, written } = endless(Buffer.alloc(1_000_000), 'HTTP/1.1 200 OK\r\n\r\n');
    const { answer, closed } = send(await startRaw(serve));
    expect(await answer).toMatchObject({ status: 200, error: null });
    await closed;
    // In MB. The system buffers some, and in a second it would be hundreds.
    expect(written()).toBeLessThan(40);
  });

  it('counts when it comes before the request was read', async () => {
    const url = await startRaw((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const soon = holdTimers((ms) => ms === 1_000);
    const { answer, closed } = send(url, {}, 'a'.repeat(20_000_000));
    expect(await answer).toMatchObject({ status: 200, error: null });
    soon.fire();
    await closed;
  });

  const CLOSED = 'The receiver closed the connection before it answered.';
  const MANY_HEADERS = `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(9_000)}\r\n`;
  const SWITCHING = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
  it.each<[string, (socket: Socket) => void, string]>([
    ['closes at once', (socket) => socket.destroy(), CLOSED],
    ['resets', (socket) => socket.resetAndDestroy(), CLOSED],
    ['is not HTTP', (socket) => socket.write('220 smtp\r\n'), 'The response of the receiver is not HTTP.'],
    [
      'has long headers',
      (socket) => socket.write(MANY_HEADERS),
      'The headers of the response are too large.',
    ],
    ['switches protocols', (socket) => socket.write(SWITCHING), CLOSED],
  ])('is missing when it %s', async (_, serve, error) => {
    const { answer, closed } = send(await startRaw(serve));
    expect(await answer).toEqual(failure(error));
    await closed;
  });
});

it.each(['100 Continue', '103 Early Hints'])('reads only the start of %s without an end', async (line) => {
  const { serve } = endless(`HTTP/1.1 ${line}\r\n\r\n`.repeat(1_000));
  const { answer, closed } = send(await startRaw(serve));
  expect(await answer).toEqual(failure('The receiver sent too much before its response.'));
  await closed;
});

describe('a try ends in time', () => {
  const SLOW = 'The receiver did not answer within 0.2 seconds.';

  it.each<[string, (socket: Socket) => void]>([
    ['says nothing', () => {}],
    ['reads nothing', (socket) => socket.pause()],
    [
      'sends its headers a byte at a time',
      (socket) => {
        const timer = setInterval(() => socket.write('x'), 20);
        socket.write('HTTP/1.1 200 OK\r\na: ');
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('if the receiver %s', async (_, serve) => {
    const { answer, closed } = send(await startRaw(serve), { patienceMs: 200 }, 'a'.repeat(5_000_000));
    expect(await answer).toEqual(failure(SLOW));
    await closed;
  });

  it('if the handshake of TLS hangs', async () => {
    const url = (await startRaw(() => {})).replace('http:', 'https:');
    expect(await send(url, { patienceMs: 200 }).answer).toMatchObject({ error: SLOW });
  });

  it('if the host name is not found in time', async () => {
    const { answer } = send('http://shop.example/', { patienceMs: 200, lookup: () => {} });
    expect(await answer).toMatchObject({ error: SLOW });
  });

  it('when the service stops', async () => {
    const receiver = await startReceiver(silence);
    const stopped = new AbortController();
    const { answer, closed } = send(receiver.url, { signal: stopped.signal });
    await receiver.until(1);
    stopped.abort();
    const error = 'The service stopped before the receiver answered.';
    expect(await answer).toEqual({ status: null, error, isCutOff: true });
    await closed;
    await expect.poll(receiver.connections).toBe(0);
  });
});

describe('a secure connection', () => {
  it('is refused to a certificate that is not trusted', async () => {
    const receiver = await startReceiver(status(200), certificate());
    const { error } = await send(receiver.url).answer;
    expect(error).toBe('The certificate is not trusted: it is self-signed.');
    expect(receiver.received).toEqual([]);
  });

  it('is not made to a receiver that does not speak TLS', async () => {
    const receiver = await startReceiver();
    const { error } = await send(receiver.url.replace('http:', 'https:')).answer;
    expect(error).toBe('A secure connection could not be made.');
  });
});

it('says so if nothing listens', async () => {
  const { error } = await send(`http://127.0.0.1:${await freePort()}/`).answer;
  expect(error).toBe('The receiver refused the connection.');
});

describe('without private addresses', () => {
  const options = { allowPrivateAddresses: false };

  it.each(PRIVATE_HOSTS)('nothing goes to %s', async (host) => {
    const { port } = new URL((await startReceiver()).url);
    const { answer, closed } = send(`http://${host}:${port}/`, options);
    expect(await answer).toEqual(failure(PRIVATE));
    await closed;
  });

  /** Answers every name with these IP addresses, one after the other. */
  const rebinding =
    (...ips: string[]): LookupFunction =>
    (_name, { all }, callback) => {
      const address = ips.length > 1 ? ips.shift()! : ips[0]!;
      if (all) callback(null, [{ address, family: 4 }]);
      else callback(null, address, 4);
    };

  it.each(['http', 'https'])('nothing goes to a name of %s that has become private', async (scheme) => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const lookup = rebinding('8.8.8.8', '127.0.0.1');
    // The check of a name that was public a moment ago.
    lookup('shop.example', { all: true }, () => {});
    const { answer } = send(`${scheme}://shop.example:${port}/`, { ...options, lookup });
    expect(await answer).toMatchObject({ error: PRIVATE });
    expect(await receiver.connections()).toBe(0);
  });

  it('nothing goes to a name whose server answered with a public address a moment ago', async () => {
    const receiver = await startReceiver();
    const { lookup, asked } = await startRebinding('8.8.8.8', '127.0.0.1');
    // The check of another program, or of an earlier try.
    await new Promise((resolve) => lookup('shop.test', { all: true }, resolve));
    const { port } = new URL(receiver.url);
    const { answer } = send(`http://shop.test:${port}/`, { ...options, lookup });
    expect(await answer).toMatchObject({ error: PRIVATE });
    expect([await receiver.connections(), asked()]).toEqual([0, 2]);
  });

  it('a name is looked up', async () => {
    const { error } = await send('http://nothing.invalid/', options).answer;
    expect(error).toMatch(/^The host name (does not exist|could not be looked up)\.$/);
  });
});

describe('with refused networks', () => {
  const options = { allowPrivateAddresses: true, refusedNetworks: ['127.0.0.2/31'] };

  it('the connection goes to the address that was checked, and the name is not looked up again', async () => {
    const receiver = await startReceiver();
    const { lookup, asked } = await startRebinding('127.0.0.1', '127.0.0.2', callableIps(options));
    const url = `http://shop.test:${new URL(receiver.url).port}/`;
    expect(await send(url, { ...options, lookup }).answer).toMatchObject({ status: 200 });
    expect([receiver.received.length, asked()]).toEqual([1, 1]);
    expect(await send(url, { ...options, lookup }).answer).toMatchObject({ error: PRIVATE });
    expect([receiver.received.length, asked()]).toEqual([1, 2]);
  });

  it.each(['127.0.0.2', '2130706435', '[::ffff:127.0.0.3]'])('nothing goes to %s', async (host) => {
    const { port } = new URL((await startReceiver()).url);
    expect(await send(`http://${host}:${port}/`, options).answer).toMatchObject({ error: PRIVATE });
  });
});

it('sends nothing to a port that is not for HTTP, even if a batch has it from an earlier version', async () => {
  const { answer } = send('http://127.0.0.1:25/');
  expect(await answer).toEqual(failure('The port of the URL is not one for HTTP.'));
});

/** A name server whose name has the first address once, and then the second one. */
async function startRebinding(first: string, then: string, isCallable = isPublicIp) {
  const server = await startDnsServer();
  onTestFinished(() => server.close());
  const asked = () => server.count('shop.test', 'A');
  server.set('shop.test', () => ({ A: [asked() <= 1 ? first : then], ttl: 0 }));
  const resolver = new Resolver();
  resolver.setServers([server.address]);
  return { lookup: createGuardedLookup(isCallable, resolver), asked };
}
