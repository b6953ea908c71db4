/**
 * Connects to one IP address, directly or through a proxy. It never resolves the name of a mail host. The DNS could give
 * another IP address than the one that was checked.
 */
import { isIP, type Socket, type TcpNetConnectOpts, connect as tcpConnect } from 'node:net';
import type { Signal } from '../signal.ts';
import { tunnel } from './socks-proxy.ts';
import type { Source } from './sources.ts';

export interface Target {
  readonly ip: string;
  readonly port: number;
  /** Returns `false` for private IP addresses, unless they are allowed. This is the last check before the connection. */
  readonly mayContact: (ip: string) => boolean;
}

export type Connected =
  | { readonly kind: 'connected'; readonly socket: Socket }
  /** `why` contains no text from outside, and no password. */
  | { readonly kind: 'failed'; readonly why: string };

/** The system's errors in words. Others appear as their code. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'this machine does not have the local IP address',
  EACCES: 'connecting is forbidden on this machine',
  EPERM: 'connecting is forbidden on this machine',
  EMFILE: 'too many open files on this machine',
};

/** @param signal ends the attempt, and closes the socket */
export async function connect(target: Target, source: Source, signal: Signal): Promise<Connected> {
  if (isIP(target.ip) === 0 || !target.mayContact(target.ip))
    return { kind: 'failed', why: 'the IP address must not be contacted' };
  if (source.kind === 'direct')
    return open({ host: target.ip, port: target.port, localAddress: source.localAddress }, signal);
  const { proxy } = source;
  const opened = await open({ host: proxy.host, port: proxy.port }, signal);
  if (opened.kind === 'failed') return { kind: 'failed', why: `the proxy ${proxy.name}: ${opened.why}` };
  const { socket } = opened;
  const giveUp = () => socket.destroy();
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  const isThrough = await tunnel(socket, proxy, target.ip, target.port);
  signal.removeEventListener('abort', giveUp);
  if (isThrough && !signal.aborted) return opened;
  socket.destroy();
  return { kind: 'failed', why: `the proxy ${proxy.name} did not connect` };
}

function open(way: TcpNetConnectOpts, signal: Signal): Promise<Connected> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'failed', why: 'no time left' });
    // A proxy may have a name. Without `autoSelectFamily: false`, Node would try several of its IP addresses.
    const socket = tcpConnect({ ...way, noDelay: true, autoSelectFamily: false });
    const settle = (connected: Connected) => {
      signal.removeEventListener('abort', giveUp);
      socket.off('connect', succeed).off('error', fail);
      // The owner of the socket listens for `close`, which follows an error.
      socket.on('error', () => {});
      if (connected.kind === 'connected' || socket.closed) return resolve(connected);
      socket.once('close', () => resolve(connected)).destroy();
    };
    const succeed = () => settle({ kind: 'connected', socket });
    const giveUp = () => settle({ kind: 'failed', why: 'no answer in time' });
    const fail = ({ code = '' }: NodeJS.ErrnoException) =>
      settle({ kind: 'failed', why: FAILURES[code] ?? `cannot connect (${code})` });
    signal.addEventListener('abort', giveUp);
    socket.once('connect', succeed).once('error', fail);
  });
}
