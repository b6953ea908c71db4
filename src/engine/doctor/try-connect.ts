/** Opens and ends a connection to a mail server, the way conversations do. */
import { connect } from '../smtp/connect.ts';
import type { Sources } from '../smtp/sources.ts';
import type { TryConnect } from './port.ts';

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
    // A server that does not end its side is not waited for.
    socket.setTimeout(1000, () => socket.destroy());
    socket.resume();
    return { kind: 'open', localIp };
  };
}
