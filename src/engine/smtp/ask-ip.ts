/** Verifies one address at one IP address: the real address, again if a conversation was lost, then the impossible one. */

import type { Signal } from '../signal.ts';
import type { Asked } from './conversation.ts';
import { CLOSING, type Inquiry } from './exchange.ts';
import type { Observation } from './observation.ts';
import type { Way } from './open.ts';
import { reach, type Tools } from './reach.ts';
import { countdown } from './time.ts';
import type { Lease } from './waiter.ts';

export async function askIp(tools: Tools, way: Way): Promise<Observation> {
  const { question } = way;
  const { impossible, signal } = question;
  let reached = await reach(tools, way, question);
  if (reached.kind !== 'lease') return reached;
  let asked = await ask(reached.lease, 'rcpt', question, signal);
  if (reached.isTakenOver && (isLost(asked) || isEnough(asked))) {
    // The server may only have ended or limited that conversation. A new one may work.
    if (isEnough(asked)) reached.lease.done({ isReusable: false, slowDown: false });
    else finish(reached.lease, asked);
    reached = await reach(tools, { ...way, isNew: true }, question);
    if (reached.kind !== 'lease') return reached;
    asked = await ask(reached.lease, 'rcpt', question, signal);
  }
  const { lease } = reached;
  if (asked.kind !== 'replied') {
    finish(lease, asked);
    return asked.kind === 'sender-refused' ? { kind: asked.kind, slowDown: asked.slowDown } : asked;
  }
  const { reading } = asked;
  const mayProbe = question.probing?.mayProbe ?? (async () => true);
  if (reading.meaning !== 'accepted' || impossible === undefined || !(await orDone(lease.done, mayProbe))) {
    finish(lease, asked);
    return { kind: 'answered', reading, acceptsAll: null };
  }
  const inquiry: Inquiry = { recipient: impossible, recorder: question.recorder };
  const conclude = (probed?: Asked): Observation => {
    const acceptsAll = probed ? acceptsAllBy(probed) : null;
    const code = probed && 'code' in probed ? probed.code : null;
    question.probing?.probed({ acceptsAll, server: question.host.name, code });
    return { kind: 'answered', reading, acceptsAll };
  };
  if (!question.organisation.probesApart && lease.hasRoom) {
    const probed = await ask(lease, 'probe', inquiry, signal);
    finish(lease, probed);
    return conclude(probed);
  }
  finish(lease, asked);
  // With its own time limit. The real address has its reply, so no other host needs the time.
  const time = countdown(question.greetingMs);
  const apart = await reach(tools, { ...reached.way, time, isLast: true, isNew: true }, inquiry);
  if (apart.kind === 'held-back') return { kind: 'answered', reading, acceptsAll: null };
  if (apart.kind !== 'lease') return conclude();
  const probed = await ask(apart.lease, 'probe', inquiry, signal);
  apart.lease.done({ isReusable: false, slowDown: isSlowDown(probed) });
  return conclude(probed);
}

function ask(
  { conversation, done }: Lease,
  stage: 'rcpt' | 'probe',
  inquiry: Inquiry,
  signal: Signal,
): Promise<Asked> {
  return orDone(done, () => conversation.ask(stage, inquiry, signal));
}

/** A fault of ours must not keep the connection. */
async function orDone<Result>(done: Lease['done'], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    done({ isReusable: false, slowDown: false });
    throw error;
  }
}

function finish(lease: Lease, asked: Asked): void {
  const isReusable = asked.kind === 'replied' || asked.kind === 'no-smtputf8';
  lease.done({ isReusable, slowDown: isSlowDown(asked) });
}

/** The conversation has ended without a reply about the address. */
function isLost(asked: Asked): boolean {
  if (asked.kind === 'replied' || asked.kind === 'sender-refused') return asked.code === CLOSING;
  return asked.kind === 'closed';
}

/**
 * "Too many recipients" (RFC 5321, section 4.5.3.1.10). Some servers count all recipients of a conversation. This does not
 * ask for fewer conversations, and says nothing about this recipient.
 */
function isEnough(asked: Asked): boolean {
  if (asked.kind !== 'replied' || asked.code !== 452) return false;
  return asked.reading.meaning === 'temporary' || asked.reading.meaning === 'about-us';
}

function isSlowDown(asked: Asked): boolean {
  if (asked.kind === 'replied') return asked.reading.slowDown;
  return (asked.kind === 'sender-refused' || asked.kind === 'closed') && asked.slowDown === true;
}

/**
 * Only "accepted" and "no such mailbox" count. Another 5xx may be about the second recipient. An address that cannot exist
 * has no full mailbox. All other replies are about us or temporary.
 */
function acceptsAllBy(probed: Asked): boolean | null {
  if (probed.kind !== 'replied') return null;
  if (probed.reading.meaning === 'accepted') return true;
  return probed.reading.meaning === 'no-such-mailbox' ? false : null;
}
