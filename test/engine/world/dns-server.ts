/**
 * A name server on loopback: UDP and TCP on one port, and a zone as data. It answers as a resolver does, or makes the
 * trouble that the zone asks for.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import dnsPacket from 'dns-packet';
import { messagesFor, type Trouble, truncated } from './dns-troubles.ts';
import { answerFrom, type Entry, type Question, type RecordType, type Zone } from './dns-zone.ts';

export interface AskedQuestion extends Question {
  readonly via: 'udp' | 'tcp';
}

export interface DnsServer {
  /** `127.0.0.1:port`, for the config's `dns`. */
  readonly address: string;
  readonly port: number;
  /** In the order in which they came. A repeated question is in it again. */
  readonly questions: readonly AskedQuestion[];
  /** How often was asked about the name, by all types if none is given. */
  count(name: string, type?: RecordType): number;
  /** Resolves when the name has been asked about so often. */
  whenAsked(name: string, type: RecordType, times?: number): Promise<void>;
  /** Changes a name, or takes it out. */
  set(name: string, entry: Entry | ((question: Question) => Entry | undefined) | undefined): void;
  close(): Promise<void>;
}

const SLOW_BYTE_MS = 5;

export async function startDnsServer(zone: Zone = {}): Promise<DnsServer> {
  const entries: Record<string, Zone[string]> = { ...zone };
  const questions: AskedQuestion[] = [];
  const watchers = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();
  const streams = new Set<Socket>();
  let isOpen = true;

  const later = (ms: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (isOpen) run();
    }, ms);
    timers.add(timer);
  };

  /** @param send gets each message, and the trouble that is made */
  const handle = (
    query: Buffer,
    via: 'udp' | 'tcp',
    send: (message: Buffer, trouble: Trouble | undefined) => void,
  ) => {
    const packet = decode(query);
    const asked = packet?.questions?.[0];
    if (!packet || !asked) return;
    const question = { type: asked.type as RecordType, name: asked.name.toLowerCase() };
    questions.push({ ...question, via });
    for (const watcher of watchers) watcher();
    const { exists, records, trouble } = answerFrom(entries, question);
    const answer = dnsPacket.encode({
      type: 'response',
      id: packet.id!,
      flags: dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | (exists ? 0 : 3),
      questions: [asked],
      answers: [...records],
    });
    const edns = packet.additionals?.find((record) => record.type === 'OPT');
    const fits = via === 'tcp' || answer.length <= (edns?.udpPayloadSize ?? 512);
    const messages = messagesFor(trouble, query, fits ? answer : truncated(query), via);
    const sendAll = () => {
      for (const message of messages) send(message, trouble);
    };
    if (typeof trouble === 'object') later(trouble.delayMs, sendAll);
    else sendAll();
  };

  const tcp = createServer((socket) => {
    streams.add(socket);
    socket.on('close', () => streams.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return;
      handle(received.subarray(2), 'tcp', (message, trouble) =>
        sendByStream(socket, message, trouble, later),
      );
      received = Buffer.alloc(0);
    });
  });
  const udp = createSocket('udp4');
  udp.on('message', (query, sender) =>
    handle(query, 'udp', (message) => udp.send(message, sender.port, sender.address)),
  );
  const port = await listenOnOnePort(tcp, udp);

  const count = (name: string, type?: RecordType) =>
    questions.filter((asked) => asked.name === name && (type === undefined || asked.type === type)).length;

  return {
    address: `127.0.0.1:${port}`,
    port,
    questions,
    count,
    whenAsked: (name, type, times = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (count(name, type) < times) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    set(name, entry) {
      if (entry) entries[name] = entry;
      else delete entries[name];
    },
    async close() {
      isOpen = false;
      for (const timer of timers) clearTimeout(timer);
      for (const stream of streams) stream.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise((resolve) => tcp.close(resolve)),
      ]);
    },
  };
}

/** The system chooses the port for TCP. It may be in use for UDP, and then another one is tried. */
async function listenOnOnePort(tcp: Server, udp: UdpSocket, triesLeft = 5): Promise<number> {
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  try {
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    return port;
  } catch (error) {
    if (triesLeft === 0) throw error;
    tcp.close();
    await once(tcp, 'close');
    return listenOnOnePort(tcp, udp, triesLeft - 1);
  }
}

function decode(query: Buffer): dnsPacket.DecodedPacket | undefined {
  try {
    return dnsPacket.decode(query);
  } catch {
    return undefined;
  }
}

function sendByStream(
  socket: Socket,
  message: Buffer,
  trouble: Trouble | undefined,
  later: (ms: number, run: () => void) => void,
): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  const bytes = Buffer.concat([length, message]);
  if (trouble === 'silent-tcp') return;
  if (trouble === 'no-tcp') socket.destroy();
  else if (trouble === 'short-tcp') socket.end(bytes.subarray(0, bytes.length - 1));
  else if (trouble === 'slow-tcp') {
    for (const [index, byte] of bytes.entries()) {
      later(index * SLOW_BYTE_MS, () => socket.writable && socket.write(Buffer.from([byte])));
    }
  } else socket.write(bytes);
}
