/** Sends one question over TCP (RFC 7766). Each message follows its length in two bytes. */
import { connect } from 'node:net';
import type { NameServer } from './name-servers.ts';

const LENGTH_BYTES = 2;

/**
 * @param receive called with the answer, at most once
 * @param fail called instead if there is no connection, or if it ends before the answer is complete
 * @returns a function that closes the connection. After it, neither function is called
 */
export function sendByStream(
  server: NameServer,
  message: Buffer,
  receive: (bytes: Buffer) => void,
  fail: () => void,
): () => void {
  const socket = connect({ host: server.ip, port: server.port });
  let isOpen = true;
  let received = Buffer.alloc(0);
  const close = () => {
    isOpen = false;
    socket.destroy();
  };
  const giveUp = () => {
    if (!isOpen) return;
    close();
    fail();
  };
  // This listener stays after the close. Without it, a late error would end the process.
  socket.on('error', giveUp);
  socket.on('close', giveUp);
  socket.on('end', giveUp);
  socket.on('data', (chunk) => {
    // Bounded: a message has at most 65,535 bytes, and bytes after it are not read.
    received = Buffer.concat([received, chunk]);
    if (received.length < LENGTH_BYTES) return;
    const end = LENGTH_BYTES + received.readUInt16BE(0);
    if (received.length < end) return;
    close();
    receive(received.subarray(LENGTH_BYTES, end));
  });
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(message.length);
  socket.write(Buffer.concat([length, message]));
  return close;
}
