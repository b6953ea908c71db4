/** Waits for a slot of the pacing, or for a conversation that is handed over, whichever comes first. */
import type { PerHost } from '../options.ts';
import type { HeldBack, Pacing, Slot } from '../pacing/pacing.ts';
import { MAX_TIMER_MS, OwnSignal, type Signal } from '../signal.ts';
import type { Conversation } from './conversation.ts';

/** The conversation that an address waits for, and how long. */
export interface Wish {
  readonly organisation: string;
  readonly limits: PerHost;
  readonly withinMs: number;
  readonly signal: Signal;
  /** Ends the wait too. */
  readonly calledOff?: AbortSignal | undefined;
  /** Whether requests of waiting callers go first. */
  readonly inBackground: boolean;
}

export type Turn =
  | { readonly kind: 'begin'; readonly opening: Opening }
  | { readonly kind: 'take-over'; readonly lease: Lease }
  | { readonly kind: 'held-back'; readonly why: HeldBack };

/** The right to begin a conversation. Call exactly one of the two functions. */
export interface Opening {
  opened(conversation: Conversation): Lease;
  /** @param closed resolves when the connection is closed, with whether the server has asked to slow down at QUIT */
  failed(slowDown: boolean, closed: Promise<boolean>): void;
}

/** A conversation that belongs to one address until it is done. */
export interface Lease {
  readonly conversation: Conversation;
  /** Whether the conversation may have another recipient. */
  readonly hasRoom: boolean;
  done(end: { readonly isReusable: boolean; readonly slowDown: boolean }): void;
}

export interface Wait extends Wish {
  /** Whether a conversation may still be handed over. If so, a refusal of the pacing does not end the wait. */
  readonly mayExpect: () => boolean;
  /** The pacing is asked after it, because a conversation will probably be handed over at its end. It must not reject. */
  readonly after?: Promise<void> | undefined;
  /** Called at once with a slot, so that others know that a conversation begins. */
  readonly begin: (slot: Slot) => Opening;
}

export type Waiter = ReturnType<typeof startWaiting>;

/** The time that pacing has after the signal, to say why it held back. */
const GRACE_MS = 100;

export function startWaiting(pacing: Pacing, wait: Wait) {
  const { organisation, limits, withinMs, signal, calledOff, inBackground } = wait;
  const entering = new OwnSignal();
  let isWaiting = true;
  let isEntering = true;
  let refused: HeldBack | undefined;
  let grace: NodeJS.Timeout | undefined;
  let resolve: (turn: Turn) => void;
  const turn = new Promise<Turn>((settle) => {
    resolve = settle;
  });

  function end(result: Turn): void {
    stop();
    clearTimeout(grace);
    resolve(result);
  }
  function stop(): void {
    isWaiting = false;
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    calledOff?.removeEventListener('abort', giveUp);
    if (isEntering) entering.abort();
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
    return pacing.enter(organisation, limits, withinMs, entering, inBackground);
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
      if (isWaiting) return end({ kind: 'begin', opening: wait.begin(entered) });
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
    /** Whether a conversation may still begin: the pacing has not refused. */
    get isPending() {
      return isWaiting && refused === undefined;
    },
    turn,
    handOver: (lease: Lease) => end({ kind: 'take-over', lease }),
    /** Ends the wait if the pacing has refused, and no conversation can be handed over any more. */
    check,
  };
}
