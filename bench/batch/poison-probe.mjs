/**
 * Loaded into a process of the service (`--import`). It ends the process when it sends a recipient whose name is in
 * `POISON`, as a fault in the engine would.
 */
import { Socket } from 'node:net';

const { POISON } = process.env;
const { write } = Socket.prototype;

Socket.prototype.write = function send(chunk, ...others) {
  if (POISON && /^RCPT TO:/i.test(String(chunk)) && String(chunk).includes(POISON))
    process.kill(process.pid, 'SIGKILL');
  return write.call(this, chunk, ...others);
};
