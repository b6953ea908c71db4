/** Lets a connection hand over a response in one piece. */
import type { Socket } from 'node:net';

/** Node writes an empty text after each response, and `writev` for the two takes longer than to write the response alone. */
export function sendInOnePiece(socket: Socket): void {
  const writeSeveral = socket._writev!;
  socket._writev = function writeFull(pieces, done) {
    const [first, ...others] = pieces.filter(({ chunk }) => chunk.length > 0);
    if (first && others.length === 0) socket._write(first.chunk, first.encoding, done);
    else writeSeveral.call(socket, pieces, done);
  };
}
