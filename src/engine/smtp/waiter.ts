/** Waits for a slot of the pacing, or for a conversation that is handed over, whichever comes first. */
import type { PerHost } from '../options.ts';
import type { HeldBack, Pacing, Slot } from '../pacing/pacing.ts';
import { MAX_TIMER_MS } from './time.ts';

/** The conversation that an address waits for, and how long. */
export interface Wish {
  readonly organisation: string;
  readonly limits: PerHost;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** Ends the wait too. */
  readonly calledOff?: AbortSignal | undefined;
  /** Whether requests of waiting callers go first. */
  readonly inBackground: boolean;
}

export interface Wait<Begun> extends Wish {
  /** Whether a conversation may still be handed over. If so, a refusal of the pacing does not end the wait. */
  readonly mayExpect: () => boolean;
  /** The pacing is asked after it, because a conversation will probably be handed over at its end. It must not reject. */
  readonly after?: Promise<void> | undefined;
  /** Called at once with a slot, so that others know that a conversation begins. */
  readonly begin: (slot: Slot) => Begun;
}

export type Outcome<Begun, Given> =
  | { readonly kind: 'begin'; readonly begun: Begun }
  | { readonly kind: 'handed-over'; readonly given: Given }
  | { readonly kind: 'held-back'; readonly why: HeldBack };

export interface Waiter<Begun, Given> {
  readonly isWaiting: boolean;
  /** Whether a conversation may still begin: the pacing has not refused. */
  readonly isPending: boolean;
  readonly outcome: Promise<Outcome<Begun, Given>>;
  handOver(given: Given): void;
  /** Ends the wait if the pacing has refused, and no conversation can be handed over any more. */
  check(): void;
}

/** The time that pacing has after the signal, to say why it held back. */
const GRACE_MS = 100;

export function startWaiting<Begun, Given>(pacing: Pacing, wait: Wait<Begun>): Waiter<Begun, Given> {
  const { organisation, limits, withinMs, signal, calledOff, inBackground } = wait;
  const entering = new AbortController();
  let isWaiting = true;
  let isEntering = true;
  let refused: HeldBack | undefined;
  let grace: NodeJS.Timeout | undefined;
  let resolve: (outcome: Outcome<Begun, Given>) => void;
  const outcome = new Promise<Outcome<Begun, Given>>((settle) => {
    resolve = settle;
  });

  function end(result: Outcome<Begun, Given>): void {
    stop();
    clearTimeout(grace);
    resolve(result);
  }
  function stop(): void {
    isWaiting = false;
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    calledOff?.removeEventListener('abort', giveUp);
    // With a reason, because Node's own one has a stack trace.
    if (isEntering) entering.abort('over');
  }
  const holdBack = (why: HeldBack) => end({ kind: 'held-back', why });
  function giveUp(): void {
    stop();
    if (refused) holdBack(refused);
    else grace = setTimeout(() => holdBack('connections'), GRACE_MS);
  }
  function check(): void {
    if (isWaiting && refused && !wait.mayExpect()) holdBack(refused);
  }

  const timer = setTimeout(giveUp, Math.min(withinMs, MAX_TIMER_MS));
  signal.addEventListener('abort', giveUp);
  calledOff?.addEventListener('abort', giveUp);
  // An async function turns an error that is thrown at once into a rejection.
  const enter = async () => {
    if (wait.after) await wait.after;
    if (!isWaiting) return 'connections';
    return pacing.enter(organisation, limits, withinMs, entering.signal, inBackground);
  };
  enter().then(
    (entered) => {
      isEntering = false;
      if (typeof entered === 'string') {
        // During a pause, open conversations of the organisation do not go on either.
        if (!isWaiting || entered === 'paused') return holdBack(entered);
        refused = entered;
        return check();
      }
      if (isWaiting) return end({ kind: 'begin', begun: wait.begin(entered) });
      entered.leave(false);
      holdBack('connections');
    },
    // Pacing has failed. Without it, no server may be contacted.
    () => holdBack('connections'),
  );

  return {
    get isWaiting() {
      return isWaiting;
    },
    get isPending() {
      return isWaiting && refused === undefined;
    },
    outcome,
    handOver: (given) => end({ kind: 'handed-over', given }),
    check,
  };
}
