/** Gets a conversation with one IP address: an open one that is handed over, or a new one. */
import type { EngineOptions, PerHost } from '../options.ts';
import { withoutReserve } from '../pacing/pace.ts';
import type { Connections, Lease, Opening } from './connections.ts';
import type { Asker, Inquiry } from './exchange.ts';
import type { MailQuestion, Observation } from './observation.ts';
import { openConversation } from './open.ts';
import { nameOfSource, type Source, type Sources } from './sources.ts';
import { type Countdown, countdown } from './time.ts';

export interface Tools extends Pick<EngineOptions, 'smtpPort' | 'perHost'> {
  readonly asker: Asker;
  readonly connections: Connections;
  readonly sources: Sources;
  readonly mayContact: (ip: string) => boolean;
}

export interface Way {
  readonly question: MailQuestion;
  readonly ip: string;
  readonly source: Source;
  /** The host's remaining time until its greeting must be done. */
  readonly time: Countdown;
  /** Whether this is the last IP address of the host to try. */
  readonly isLast: boolean;
  /** Whether it must be a new conversation. */
  readonly isNew: boolean;
  /** Whether to use TLS. False after it has failed at this IP address. */
  readonly tls: boolean;
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
  | Exclude<
      Observation,
      { kind: 'answered' | 'sender-refused' | 'no-smtputf8' | 'smtputf8-unknown' | 'closed' | 'silent' }
    >;

/** The shortest wait that the evidence mentions. */
const NOTED_WAIT_MS = 10;

export const nameServer = ({ host }: MailQuestion, ip: string): string => `${host.name} [${ip}]`;

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
  const { question, ip, source, time, isLast, tls } = way;
  const opened = await openConversation({
    ip,
    port: tools.smtpPort,
    mailHost: question.host.name,
    source,
    mayContact: tools.mayContact,
    asker: tools.asker,
    inquiry,
    tls,
    time: countdown(isLast ? time.left() : time.left() / 2),
    signal: question.signal,
  }).catch((error: unknown) => {
    opening.failed(false, Promise.resolve(false));
    throw error;
  });
  if (opened.kind === 'ready') {
    return { kind: 'lease', lease: opening.opened(opened.conversation), isTakenOver: false, way };
  }
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
