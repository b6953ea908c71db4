/** Sends one question to one name server: as a datagram, and over TCP if the answer does not fit into one. */
import { randomInt } from 'node:crypto';
import { sendDatagram } from './datagram.ts';
import { readAnswer, writeQuestion } from './message.ts';
import type { NameServer } from './name-servers.ts';
import { type DnsAnswer, failed, type Question } from './records.ts';
import { sendByStream } from './stream.ts';

/**
 * @param end called at most once, and not after the close. It gets `undefined` if the server cannot be reached
 * @returns a function that closes all sockets
 */
export function askServer(
  server: NameServer,
  question: Question,
  end: (answer: DnsAnswer | undefined) => void,
): () => void {
  let close: () => void;
  const finish = (answer: DnsAnswer | undefined) => {
    close();
    end(answer);
  };

  const askByDatagram = (edns: boolean) => {
    const id = randomInt(0x10000);
    const receive = (bytes: Buffer) => {
      const reading = readAnswer(bytes, question, id);
      // The datagram may be forged or late. The true answer may still come.
      if (reading === 'foreign') return;
      if (reading === 'truncated') {
        close();
        askByStream(edns);
      } else if (reading !== 'not-understood') finish(reading);
      else if (edns) {
        close();
        askByDatagram(false);
      } else finish(failed('FORMERR'));
    };
    close = sendDatagram(server, writeQuestion(question, id, edns), receive, () => finish(undefined));
  };

  const askByStream = (edns: boolean) => {
    const id = randomInt(0x10000);
    const receive = (bytes: Buffer) => {
      const reading = readAnswer(bytes, question, id);
      finish(typeof reading === 'string' ? failed(`${reading} over TCP`) : reading);
    };
    const fail = () => finish(failed('truncated, and no answer over TCP'));
    close = sendByStream(server, writeQuestion(question, id, edns), receive, fail);
  };

  askByDatagram(true);
  return () => close();
}
