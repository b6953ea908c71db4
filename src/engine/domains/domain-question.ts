/** What one verification does about its domain: whether it asks, waits for another that does, or uses what is known. */
import type { Budget } from '../budget.ts';
import type { Recorder } from '../recorder.ts';
import { type Signal, within } from '../signal.ts';
import type { Probing } from '../smtp/observation.ts';
import type { Claim, DomainFact, DomainFacts, MailDomain, ProbeAnswer, Standing } from './domain-facts.ts';

export interface DomainQuestionOptions {
  readonly facts: DomainFacts;
  readonly domain: MailDomain;
  /** Whether to ask the servers for what is not known. */
  readonly mayAsk: boolean;
  readonly inBackground: boolean;
  readonly budget: Pick<Budget, 'signal' | 'callerMs'>;
  readonly recorder: Recorder;
}

export interface DomainQuestion extends Probing {
  /** Whether another conversation asks, and this one should wait for it before it begins. */
  isAskedElsewhere(): Promise<boolean>;
  /** Ends what `mayProbe` has begun. @param isInterrupted whether a missing reply was not the server's fault */
  end(isInterrupted: boolean): Promise<void>;
  /**
   * What is known when the real address was accepted. It may wait for another conversation that asks.
   *
   * @returns if it is still to be found out and the caller can wait, who would ask
   */
  conclude(): Promise<Concluded | NotConcluded>;
}

/** Another conversation asks, or this one may ask and its own conversation for that was held back. */
export type NotConcluded = 'asked-elsewhere' | 'held-back';

export interface Concluded {
  /** `null` if the servers were asked in vain. */
  readonly acceptsAll: boolean | null;
}

/** So long before the caller's time is over, the verification goes on without the fact. */
const CALLER_MARGIN_MS = 250;

export function createDomainQuestion(options: DomainQuestionOptions): DomainQuestion {
  const { facts, domain, mayAsk, inBackground, budget, recorder } = options;
  const first = facts.look(domain, budget.signal);
  let claim: Claim | undefined;
  let hadClaim = false;
  /** What this conversation has found out itself. */
  let own: ProbeAnswer | undefined;
  let standing: Standing | undefined;

  const note = (fact: DomainFact) =>
    recorder.note({
      stage: 'probe',
      server: fact.server,
      ...(fact.code === null ? {} : { code: fact.code }),
      text: sayFact(fact),
    });

  /** @returns the standing as soon as nobody asks, or what it is when the time is over */
  async function settle(): Promise<Standing> {
    const patienceMs = inBackground ? budget.callerMs() : budget.callerMs() - CALLER_MARGIN_MS;
    return within(Math.max(patienceMs, 0), budget.signal, (signal) =>
      mayAsk ? facts.settled(domain, signal) : Promise.race([first, aborted(signal)]),
    );
  }

  return {
    isAskedElsewhere: async () => mayAsk && inBackground && (await first).kind === 'asked',
    async mayProbe() {
      standing = await first;
      if (standing.kind === 'known') return false;
      const claimed = await facts.claim(domain, budget.signal);
      if (claimed.kind !== 'claimed') standing = claimed;
      else claim = claimed;
      hadClaim = claim !== undefined;
      return hadClaim;
    },
    probed(answer) {
      own = answer;
    },
    async end(isInterrupted) {
      if (!claim) return;
      const ending = claim.end(isInterrupted && own?.acceptsAll === null ? undefined : own);
      claim = undefined;
      // The database may be slow, and the result must not wait for it.
      await Promise.race([ending, aborted(budget.signal)]);
    },
    async conclude() {
      if (own) return { acceptsAll: own.acceptsAll };
      if (standing?.kind !== 'known') standing = await settle();
      if (standing.kind === 'known') {
        note(standing.fact);
        return { acceptsAll: standing.fact.acceptsAll };
      }
      // Nobody waits for the result, so another try may find it out.
      if (!mayAsk || !inBackground) return { acceptsAll: null };
      return hadClaim ? 'held-back' : 'asked-elsewhere';
    },
  };
}

function sayFact({ acceptsAll, code, learntAt }: DomainFact): string {
  const at = `${learntAt.toISOString().slice(0, 19)}Z`;
  if (acceptsAll === null)
    return `Not asked: in vain at ${at}, as ${code === null ? 'no reply came' : `the reply was ${code}`}`;
  const what = acceptsAll ? 'accepted' : 'refused';
  return `Not asked: known since ${at}, when an impossible address was ${what}`;
}

const aborted = (signal: Signal) =>
  new Promise<Standing>((resolve) => {
    const end = () => resolve({ kind: 'unknown' });
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });
