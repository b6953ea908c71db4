/** What the tests of the mail client share: a client, questions, a pacing, and a simple way to read replies. */
import { expect, onTestFinished } from 'vitest';
import { createBudget } from '../../../src/engine/budget.ts';
import type { HeldBack, Pacing } from '../../../src/engine/pacing/pacing.ts';
import { createRecorder } from '../../../src/engine/recorder.ts';
import type { Reading, Reply, ReplyContext } from '../../../src/engine/replies/reply.ts';
import type { Signal } from '../../../src/engine/signal.ts';
import {
  createMailClient,
  type MailClient,
  type MailClientOptions,
  type MailQuestion,
} from '../../../src/engine/smtp/mail-client.ts';
import { ended } from '../world/clock.ts';
import { type MailScript, type MailServer, type Place, startMailServer } from '../world/mail-server.ts';

/** Stands in for the rules in `replies/`: by the code, and by three words. */
export function readReply({ code, lines }: Reply, _context: ReplyContext): Reading {
  const text = lines.join(' ');
  const slowDown = code === 421 || /blocked/i.test(text);
  const read = (meaning: Reading['meaning']): Reading => ({
    meaning,
    rule: `stand-in: ${meaning}`,
    slowDown,
  });
  if (code < 300) return read('accepted');
  if (slowDown) return read('about-us');
  if (/5\.1\.1/.test(text)) return read('no-such-mailbox');
  if (/x?\.2\.2/.test(text)) return read('mailbox-full');
  return read(code < 500 ? 'temporary' : 'refused');
}

export interface CountingPacing extends Pacing {
  readonly entered: readonly { readonly organisation: string; readonly withinMs: number }[];
  /** What each slot was left with, in order. */
  readonly left: readonly boolean[];
  /** Slots that are held now. */
  readonly held: number;
}

/**
 * So many slots at the same time, for each organisation, and so many in all. When they are used up, the rest is
 * refused.
 */
export function countingPacing({
  atOnce = Infinity,
  inAll = Infinity,
  why = 'per minute' as HeldBack,
} = {}): CountingPacing {
  const entered: { organisation: string; withinMs: number }[] = [];
  const left: boolean[] = [];
  const held = new Map<string, number>();
  const waiting = new Set<() => void>();
  const heldBy = (organisation: string) => held.get(organisation) ?? 0;
  return {
    entered,
    left,
    get held() {
      return [...held.values()].reduce((sum, count) => sum + count, 0);
    },
    async enter(organisation, { connections }, withinMs, signal) {
      if (entered.length >= inAll) return why;
      while (heldBy(organisation) >= Math.min(connections, atOnce)) {
        if (signal.aborted) return 'connections';
        await new Promise<void>((resolve) => {
          const go = () => {
            waiting.delete(go);
            signal.removeEventListener('abort', go);
            resolve();
          };
          waiting.add(go);
          signal.addEventListener('abort', go);
        });
      }
      entered.push({ organisation, withinMs });
      held.set(organisation, heldBy(organisation) + 1);
      let isLeft = false;
      return {
        wanted: 0,
        leave(slowDown) {
          if (isLeft) return;
          isLeft = true;
          left.push(slowDown);
          held.set(organisation, heldBy(organisation) - 1);
          for (const go of [...waiting]) go();
        },
      };
    },
  };
}

/** Of the servers' port: servers of one test that share it listen on different IP addresses. */
export const OPTIONS: Omit<MailClientOptions, 'smtpPort' | 'pacing'> = {
  helo: 'verify.example',
  mailFrom: 'sender@verify.example',
  localAddresses: [],
  socksProxies: [],
  perHost: { connections: 10, perMinute: 1000, recipientsPerConnection: 20 },
  mayContact: () => true,
  readReply,
  forTrace: (text) => text.replaceAll(/[^\s<>"]+@[^\s<>"]+/g, '[address]'),
};

export async function server(script: MailScript = {}, place: Place = {}): Promise<MailServer> {
  const started = await startMailServer(script, place);
  onTestFinished(() => started.close());
  return started;
}

export function client(port: number, options: Partial<MailClientOptions> = {}): MailClient {
  const created = createMailClient({ ...OPTIONS, smtpPort: port, pacing: countingPacing(), ...options });
  onTestFinished(() => ended(created.close()));
  return created;
}

type Asked = Partial<MailQuestion> & { readonly ips?: readonly string[]; readonly budgetMs?: number };

/** Aborts when the time is over, by a timer that a test can stop. */
function signalIn(ms: number): Signal {
  const { signal, end } = createBudget(ms, ms);
  onTestFinished(end);
  return signal;
}

export function question({
  ips = ['127.0.0.1'],
  budgetMs = 5000,
  signal = signalIn(budgetMs),
  ...rest
}: Asked = {}): MailQuestion {
  return {
    host: { name: 'mx.test', ips },
    organisation: { id: 'mx.test' },
    recipient: 'jane@acme.example',
    impossible: undefined,
    signal,
    greetingMs: budgetMs,
    inBackground: false,
    recorder: createRecorder(),
    ...rest,
  };
}

/** Matches the observation. */
export const answered = (meaning: string, acceptsAll: boolean | null = null) => ({
  kind: 'answered',
  reading: expect.objectContaining({ meaning }),
  acceptsAll,
});

/** Asks a server with this script, and closes the client, so that all lines have come. */
export async function ask(
  script: MailScript,
  asked: Parameters<typeof question>[0] = {},
  options: Parameters<typeof client>[1] = {},
) {
  const mx = await server(script);
  const asking = client(mx.port, options);
  const observed = await ended(asking.ask(question(asked)));
  await ended(asking.close());
  await mx.whenEmpty();
  return { observed, mx };
}
