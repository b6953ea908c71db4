/** Opens and closes a connection to a mail server, in the same way as conversations. */
import { connect } from '../smtp/connect.ts';
import type { Sources } from '../smtp/sources.ts';
import type { TryConnect } from './port.ts';

const PATIENCE_MS = 1000;

/** @param mayContact returns `false` for private IP addresses, unless they are allowed */
export function createTryConnect(
  sources: Sources,
  port: number,
  mayContact: (ip: string) => boolean,
): TryConnect {
  return async (ip, signal) => {
    const source = sources.choose(ip, '');
    if (!source) return { kind: 'closed', why: 'no local IP address of that family' };
    const connected = await connect({ ip, port, mayContact }, source, signal);
    if (connected.kind === 'failed') return { kind: 'closed', why: connected.why };
    const { socket } = connected;
    // Through a proxy, the mail server sees the proxy's IP address, and not the socket's.
    const localIp = source.kind === 'direct' ? socket.localAddress : undefined;
    socket.end('QUIT\r\n');
    // Does not wait longer for a server that keeps its side open.
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('close', () => clearTimeout(timer)).resume();
    return { kind: 'open', localIp };
  };
}
