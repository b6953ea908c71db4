import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Sends half of a body, and then no more.
 *
 * @param open connects. @default without TLS
 */
export async function breakOffUpload(
  port: number,
  path = '/',
  open: (port: number, host: string) => Socket = connect,
): Promise<void> {
  const socket = open(port, '127.0.0.1');
  // The server answers this line when it begins to read the body.
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, 'data');
  await new Promise((written) => socket.write('half', written));
  socket.destroy();
  await once(socket, 'close');
}
