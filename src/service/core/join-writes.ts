/** Lets a socket hand over in one piece what was written while it was corked. */
import type { Socket } from 'node:net';

/** So many bytes are copied in less time than the system needs for several pieces. */
const MOST_COPIED_BYTES = 16 * 1024;

interface Piece {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

/**
 * A response and a statement are several writes: Node adds an empty text at the end of each response, and the database's
 * driver sends four messages for a statement. `writev`, which Node calls for them, takes longer than to write once.
 *
 * @returns the socket
 */
export function joinWrites(socket: Socket): Socket {
  const writeSeveral = socket._writev!;
  socket._writev = function writeJoined(pieces: Piece[], done) {
    const [first, ...others] = pieces.filter(({ chunk }) => chunk.length > 0);
    const joined = first && (others.length === 0 ? first : joinBytes([first, ...others]));
    if (joined) socket._write(joined.chunk, joined.encoding, done);
    else writeSeveral.call(socket, pieces, done);
  };
  return socket;
}

/** @returns `undefined` for texts, and for more than is worth a copy */
function joinBytes(pieces: readonly Piece[]): Piece | undefined {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (const { chunk } of pieces) {
    if (typeof chunk === 'string') return undefined;
    bytes += chunk.length;
    if (bytes > MOST_COPIED_BYTES) return undefined;
    chunks.push(chunk);
  }
  return { chunk: Buffer.concat(chunks, bytes), encoding: 'buffer' as BufferEncoding };
}
