/** Gets a conversation with one IP address: an open one that is handed over, or a new one. */
import type { EngineOptions, PerHost } from '../options.ts';
import { withoutReserve } from '../pacing/pace.ts';
import type { Connections } from './connections.ts';
import type { Inquiry } from './exchange.ts';
import type { Greeted } from './greeting.ts';
import type { MailQuestion } from './observation.ts';
import { type Access, nameServer, openConversation, type Way } from './open.ts';
import { nameOfSource, type Sources } from './sources.ts';
import type { Lease, Opening, Turn } from './waiter.ts';

export interface Tools extends Access, Pick<EngineOptions, 'perHost'> {
  readonly connections: Connections;
  readonly sources: Sources;
}

/** A conversation, or what was observed instead. */
export type Reached =
  | {
      readonly kind: 'lease';
      readonly lease: Lease;
      readonly isTakenOver: boolean;
      /** The way that worked. */
      readonly way: Way;
    }
  | Extract<Turn, { kind: 'held-back' }>
  | Exclude<Greeted, { kind: 'ready' | 'tls-failed' }>;

/** The shortest wait that the evidence mentions. */
const NOTED_WAIT_MS = 10;

export async function reach(tools: Tools, way: Way, inquiry: Inquiry): Promise<Reached> {
  const { question, ip, source, time, isNew } = way;
  const { recorder } = inquiry;
  const since = recorder.now();
  const turn = await tools.connections.turn({
    place: `${ip} ${nameOfSource(source)}`,
    organisation: question.organisation.id,
    limits: limitsOf(question, tools.perHost),
    withinMs: time.left(),
    signal: question.signal,
    // The impossible address belongs to a conversation that has begun, which cannot be called off.
    calledOff: inquiry === question ? question.calledOff : undefined,
    inBackground: question.inBackground,
    isNew,
  });
  const waited = recorder.now() - since;
  // A host must leave half of the remaining time to the next one. Both share the time of the wait.
  time.extend(waited / 2);
  const note = (text: string) =>
    recorder.note({ stage: 'wait', server: nameServer(question, ip), text }, since);
  if (turn.kind === 'held-back') {
    note(`no conversation began: held back (${turn.why})`);
    return turn;
  }
  if (turn.kind === 'take-over') {
    note('took over an open conversation');
    return { kind: 'lease', lease: turn.lease, isTakenOver: true, way };
  }
  if (waited >= NOTED_WAIT_MS) note('waited until a conversation could begin');
  return begin(tools, way, inquiry, turn.opening);
}

async function begin(tools: Tools, way: Way, inquiry: Inquiry, opening: Opening): Promise<Reached> {
  const opened = await openConversation(tools, way, inquiry).catch((error: unknown) => {
    opening.failed(false, Promise.resolve(false));
    throw error;
  });
  if (opened.kind === 'ready')
    return { kind: 'lease', lease: opening.opened(opened.conversation), isTakenOver: false, way };
  const { greeted, closed } = opened;
  opening.failed(greeted.kind === 'not-welcome' && greeted.slowDown, closed);
  // Tries again without TLS, because mail would be delivered that way too.
  if (greeted.kind === 'tls-failed') return reach(tools, { ...way, tls: false, isNew: true }, inquiry);
  return greeted;
}

/** The stricter of the config's limits and the provider's. */
function limitsOf({ organisation, inBackground }: MailQuestion, perHost: PerHost): PerHost {
  const { limits: own = {} } = organisation;
  const stricter = (name: keyof PerHost) => Math.max(1, Math.min(perHost[name], own[name] ?? perHost[name]));
  const limits = {
    connections: stricter('connections'),
    perMinute: stricter('perMinute'),
    recipientsPerConnection: stricter('recipientsPerConnection'),
  };
  return inBackground ? withoutReserve(limits) : limits;
}
