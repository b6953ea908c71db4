/** Sends one question as a datagram, from a socket of its own. */
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { NameServer } from './name-servers.ts';

/** Each forged answer is one guess of the id. So many datagrams mean an attack. */
const MOST_DATAGRAMS = 100;

/**
 * A new socket has a new port, so a forger has to guess the port and the id (RFC 5452, section 9.2).
 *
 * @param receive called with each datagram of this server
 * @param fail called at most once: the server cannot be reached, or too many datagrams arrive
 * @returns a function that closes the socket. After it, neither function is called
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
  // This listener stays after the close. Without it, a late error would end the process.
  socket.on('error', giveUp);
  socket.on('message', (bytes, sender) => {
    datagrams += 1;
    if (datagrams > MOST_DATAGRAMS) giveUp();
    // The system drops datagrams of others only once the socket is connected.
    else if (sender.port === server.port) receive(bytes);
  });
  // Only for a connected socket does the system report a missing server.
  socket.connect(server.port, server.ip, (error?: Error) => {
    if (error) giveUp();
    else if (isOpen) socket.send(message, (failure) => failure && giveUp());
  });
  return close;
}
