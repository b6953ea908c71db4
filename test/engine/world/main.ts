/** The command `npm run world`. It ends at SIGINT or SIGTERM. */
import { toLine, UsageError } from '../../../src/service/core/usage-error.ts';
import { runWorld } from './command.ts';

/** The user can put it right. */
const WRONG_INPUT = 2;

const untilSignal = () =>
  new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });

// A reader such as `head` may leave early.
process.stdout.on('error', () => {});
try {
  await runWorld(process.argv.slice(2), (text) => void process.stdout.write(text), untilSignal);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRNOTAVAIL') {
    process.stderr.write(
      'Expected 127.0.1.1 and the following IP addresses on loopback, and this system has only 127.0.0.1. Add them first: on macOS with "sudo ifconfig lo0 alias 127.0.1.1".\n',
    );
  } else if (error instanceof UsageError) process.stderr.write(`${toLine(error.message)}\n`);
  else throw error;
  process.exitCode = WRONG_INPUT;
}
