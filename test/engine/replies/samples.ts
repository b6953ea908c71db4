/** What a reply is read with, where a test does not say otherwise. */
import { readReply } from '../../../src/engine/replies/classify.ts';
import type { Reading, Reply, ReplyContext } from '../../../src/engine/replies/reply.ts';

export const CONTEXT: ReplyContext = {
  stage: 'rcpt',
  recipient: 'jane.roe@company.example',
  sender: 'probe@verify.example',
  helo: 'out1.verify.example',
  mailHost: 'mx1.company.example',
};

/** @param text as servers write it: `550 5.1.1 User unknown`, with one line for each line */
export function toReply(text: string): Reply {
  const lines = text.split('\n').map((line) => line.replace(/^\d{3}[ -]?/, ''));
  return { code: Number(text.slice(0, 3)), lines };
}

/** @param reply see {@link toReply} */
export const read = (reply: string, context: Partial<ReplyContext> = {}): Reading =>
  readReply(toReply(reply), { ...CONTEXT, ...context });
