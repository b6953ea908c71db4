/** Sends one question as a datagram, from a socket of its own. */
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { NameServer } from './name-servers.ts';

/** Each forged answer is one guess at the id. Who sends so many is guessing. */
const MOST_DATAGRAMS = 100;

/**
 * The socket is new, and so is its port: a forger has to guess it as well as the id (RFC 5452, section 9.2).
 *
 * @param receive gets each datagram of this server
 * @param fail is called once at most: the server cannot be reached, or something floods the socket
 * @returns closes the socket. Nothing is called after it
 */
export function sendDatagram(
  server: NameServer,
  message: Buffer,
  receive: (bytes: Buffer) => void,
  fail: () => void,
): () => void {
  const socket = createSocket(isIPv6(server.ip) ? 'udp6' : 'udp4');
  let isOpen = true;
  let datagrams = 0;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    socket.close();
  };
  const giveUp = () => {
    if (!isOpen) return;
    close();
    fail();
  };
  // Stays after the close, when a late error would otherwise end the process.
  socket.on('error', giveUp);
  socket.on('message', (bytes, sender) => {
    datagrams += 1;
    if (datagrams > MOST_DATAGRAMS) giveUp();
    // The system lets only the server through, but not between the socket's first two steps.
    else if (sender.port === server.port) receive(bytes);
  });
  // Connected, because only then does the system report a server that is not there.
  socket.connect(server.port, server.ip, (error?: Error) => {
    if (error) giveUp();
    else if (isOpen) socket.send(message, (failure) => failure && giveUp());
  });
  return close;
}
