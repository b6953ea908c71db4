/** What a reply is read with, where a test does not say otherwise. */
import { readReply } from '../../../src/engine/replies/classify.ts';
import type { Reading, ReplyContext } from '../../../src/engine/replies/reply.ts';

export const CONTEXT: ReplyContext = {
  stage: 'rcpt',
  recipient: 'jane.roe@company.example',
  sender: 'probe@verify.example',
  helo: 'out1.verify.example',
  mailHost: 'mx1.company.example',
};

/** @param reply as servers write it: `550 5.1.1 User unknown`, with one line for each line */
export function read(reply: string, context: Partial<ReplyContext> = {}): Reading {
  const lines = reply.split('\n');
  return readReply(
    { code: Number(reply.slice(0, 3)), lines: lines.map((line) => line.replace(/^\d{3}[ -]?/, '')) },
    { ...CONTEXT, ...context },
  );
}
