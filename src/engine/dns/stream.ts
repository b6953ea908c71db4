/** Sends one question over TCP (RFC 7766): each message follows its length in two bytes. */
import { connect } from 'node:net';
import type { NameServer } from './name-servers.ts';

const LENGTH_BYTES = 2;

/**
 * @param receive gets the answer. It is called once at most
 * @param fail is called instead when there is no connection, or it ends before the answer is complete
 * @returns closes the connection. Nothing is called after it
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
  // Stays after the close, when a late error would otherwise end the process.
  socket.on('error', giveUp);
  socket.on('close', giveUp);
  socket.on('end', giveUp);
  socket.on('data', (chunk) => {
    // Bounded: a message has 65,535 bytes at most, and what follows it is not read.
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
