/** The program of the process that reads a list. */
import { setPriority } from 'node:os';
import { createAnswers } from './reader-answers.ts';
import { FILE_DESCRIPTOR, type ToProcess } from './reader-protocol.ts';

const LOW = 10;

// Requests to the service have priority.
setPriority(LOW);

const answer = createAnswers(FILE_DESCRIPTOR);
process.on('message', (question: ToProcess) => {
  // An error ends the process, and the service knows then.
  void answer(question).then((message) => process.send!(message));
});
// The service ends this process. A signal to the whole process group must not cut a list that is being stored.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
