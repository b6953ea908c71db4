/** A SOCKS5 proxy on loopback (RFC 1928, and RFC 1929 for user and password), for tests. It only connects. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SocksScript {
  readonly user?: string;
  readonly password?: string;
  /** Where it stops talking, and keeps the connection. */
  readonly silentAt?: 'greeting' | 'password' | 'connect';
  /** The reply to a CONNECT, instead of making it: 5 is "connection refused". */
  readonly refuseWith?: number;
}

export interface SocksServer {
  readonly port: number;
  /** Where clients wanted to go: `ip:port`, or the name that they sent. */
  readonly destinations: readonly string[];
  readonly open: number;
  close(): Promise<void>;
}

export async function startSocksServer(script: SocksScript = {}): Promise<SocksServer> {
  const destinations: string[] = [];
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  };
  // Without a delay, as the mail servers.
  const server = createServer({ noDelay: true }, (client) => {
    keep(client);
    void handle(client);
  });

  async function handle(client: Socket): Promise<void> {
    const read = reader(client);
    const [, methods = 0] = await read(2);
    const offered = await read(methods);
    if (script.silentAt === 'greeting') return;
    const method = script.user === undefined ? 0 : 2;
    if (!offered.includes(method)) return void client.end(Buffer.of(5, 0xff));
    client.write(Buffer.of(5, method));
    if (method === 2) {
      const user = (await read((await read(2))[1]!)).toString();
      const password = (await read((await read(1))[0]!)).toString();
      if (script.silentAt === 'password') return;
      const isRight = user === script.user && password === (script.password ?? '');
      client.write(Buffer.of(1, isRight ? 0 : 1));
      if (!isRight) return void client.end();
    }
    const [, , , type] = await read(4);
    const host =
      type === 3
        ? (await read((await read(1))[0]!)).toString()
        : type === 1
          ? [...(await read(4))].join('.')
          : (await read(16)).toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:');
    const port = (await read(2)).readUInt16BE();
    destinations.push(`${host}:${port}`);
    if (script.silentAt === 'connect') return;
    const reply = (code: number) => Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
    if (script.refuseWith !== undefined) return void client.end(reply(script.refuseWith));
    const target = connect({ port, host, noDelay: true });
    keep(target);
    target.on('error', () => client.end(reply(5)));
    target.once('connect', () => {
      client.write(reply(0));
      client.pipe(target);
      target.pipe(client);
      client.resume();
    });
    client.on('close', () => target.destroy());
    // Without a reader, the end of the client's side would never be noticed.
    target.on('close', () => client.end().resume());
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    destinations,
    get open() {
      return open.size;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Reads a number of bytes. What is read too much goes back into the socket. */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return (bytes) =>
    new Promise((resolve) => {
      if (bytes === 0) return resolve(Buffer.alloc(0));
      const take = () => {
        const chunk: Buffer | null = socket.read(bytes);
        if (chunk === null) return;
        socket.off('readable', take);
        resolve(chunk);
      };
      socket.on('readable', take);
      take();
    });
}
