/** Opens and ends a connection to a mail server, the way conversations do. */
import { connect } from '../smtp/connect.ts';
import type { Sources } from '../smtp/sources.ts';
import type { TryConnect } from './port.ts';

const PATIENCE_MS = 1000;

/** @param mayContact says no to private IP addresses, unless they are allowed */
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
    // Through a proxy, the socket's own end says nothing about what the mail server sees.
    const localIp = source.kind === 'direct' ? socket.localAddress : undefined;
    socket.end('QUIT\r\n');
    // A server that does not end its side is not waited for, even if it goes on talking.
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('close', () => clearTimeout(timer)).resume();
    return { kind: 'open', localIp };
  };
}
