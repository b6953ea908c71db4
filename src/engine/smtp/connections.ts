/**
 * Shares conversations between addresses. A new conversation needs a slot from the pacing. A conversation that is done
 * with its address goes to another one that waits for the same IP address. The number of recipients is limited.
 */
import type { HeldBack, Pacing, Slot } from '../pacing/pacing.ts';
import type { Conversation } from './conversation.ts';
import { startWaiting, type Waiter, type Wish } from './waiter.ts';

export interface Want extends Wish {
  /** The IP address and the source. Conversations are handed over only within a place. */
  readonly place: string;
  /** Whether it must be a new conversation. */
  readonly isNew: boolean;
}

export type Turn =
  | { readonly kind: 'begin'; readonly opening: Opening }
  | { readonly kind: 'take-over'; readonly lease: Lease }
  | { readonly kind: 'held-back'; readonly why: HeldBack };

/** The right to begin a conversation. Call exactly one of the two functions. */
export interface Opening {
  opened(conversation: Conversation): Lease;
  /** @param closed resolves when the connection is closed */
  failed(slowDown: boolean, closed: Promise<void>): void;
}

/** A conversation that belongs to one address until it is done. */
export interface Lease {
  readonly conversation: Conversation;
  /** Whether the conversation may have another recipient. */
  readonly hasRoom: boolean;
  done(end: { readonly isReusable: boolean; readonly slowDown: boolean }): void;
}

export interface Connections {
  /** Never rejects. Resolves at most 100 ms after one of the signals. */
  turn(want: Want): Promise<Turn>;
  /** Resolves when all connections that are not leased are closed. */
  close(): Promise<void>;
}

/** A conversation that is open or about to begin. */
interface Member {
  readonly want: Want;
  readonly slot: Slot;
  conversation: Conversation | undefined;
  /** The server has asked for fewer conversations. */
  isSpent: boolean;
}

/** A pause after a connection, so that the server has noticed its end before the next one arrives. */
const NOTICED_MS = 5;

export function createConnections(pacing: Pacing): Connections {
  const members = new Set<Member>();
  /** Conversations that have ended and still have their slots. */
  const leaving = new Set<Member>();
  const queue = new Map<Waiter<Opening, Lease>, Want>();
  const endings = new Set<Promise<void>>();
  let isClosed = false;

  function inBackground(work: Promise<void>): void {
    const ending = work.catch(() => {}).finally(() => endings.delete(ending));
    endings.add(ending);
  }
  function hasRoom({ conversation, isSpent, want }: Member): boolean {
    if (isSpent || !conversation?.isUsable) return false;
    return conversation.recipients < want.limits.recipientsPerConnection;
  }
  /** Whether a conversation may still be handed over at this place. */
  const mayExpect = (place: string) =>
    [...members].some(({ want, isSpent }) => want.place === place && !isSpent) ||
    [...queue].some(([waiter, want]) => want.place === place && waiter.isPending);
  const checkQueue = () => {
    for (const waiter of queue.keys()) waiter.check();
  };

  /** @param closed resolves when the connection is closed */
  function remove(member: Member, closed: Promise<void>): void {
    members.delete(member);
    leaving.add(member);
    checkQueue();
    const leave = () => {
      leaving.delete(member);
      member.slot.leave(false);
    };
    inBackground(
      closed.finally(() => new Promise((resolve) => setTimeout(resolve, NOTICED_MS))).finally(leave),
    );
  }
  const retire = (member: Member) => remove(member, member.conversation!.end());
  /** Gives the slot back at once, so that no other conversation begins while this one ends. */
  function slowDown({ slot, want }: Member): void {
    slot.leave(true);
    for (const member of members) {
      if (member.want.organisation === want.organisation) member.isSpent = true;
    }
    checkQueue();
  }
  /** Whether more callers wait for a slot than slots are about to be given back. */
  function isWanted({ slot, want }: Member): boolean {
    const onTheirWay = [...leaving].filter((other) => other.want.organisation === want.organisation);
    return slot.wanted > onTheirWay.length;
  }
  /**
   * Hands the conversation over to the address that has waited longest, or ends it. The background comes last: if a
   * waiting caller needs a slot for another conversation, this one ends.
   */
  function offer(member: Member): void {
    const waiting = [...queue].filter(
      ([waiter, { place }]) => waiter.isWaiting && place === member.want.place,
    );
    const urgent = waiting.find(([, { inBackground }]) => !inBackground);
    const next = urgent ?? (isWanted(member) ? undefined : waiting[0]);
    if (next) next[0].handOver(lease(member));
    else retire(member);
  }
  function lease(member: Member): Lease {
    const conversation = member.conversation!;
    return {
      conversation,
      get hasRoom() {
        return hasRoom(member);
      },
      done(end) {
        if (end.slowDown) slowDown(member);
        if (!end.isReusable || !hasRoom(member)) return retire(member);
        const next = (isReset: boolean) => (isReset && hasRoom(member) ? offer(member) : retire(member));
        inBackground(conversation.reset().then(next, () => retire(member)));
      },
    };
  }
  function begin(want: Want, slot: Slot): Opening {
    const member: Member = {
      want,
      slot: once(slot),
      conversation: undefined,
      isSpent: false,
    };
    members.add(member);
    return {
      opened(conversation) {
        member.conversation = conversation;
        return lease(member);
      },
      failed(isSlowDown, closed) {
        if (isSlowDown) slowDown(member);
        remove(member, closed);
      },
    };
  }

  return {
    async turn(want) {
      const { place, isNew } = want;
      if (isClosed || want.signal.aborted || want.calledOff?.aborted)
        return { kind: 'held-back', why: 'connections' };
      const waiter = startWaiting<Opening, Lease>(pacing, {
        ...want,
        mayExpect: () => !isNew && mayExpect(place),
        begin: (slot) => begin(want, slot),
      });
      if (!isNew) queue.set(waiter, want);
      const outcome = await waiter.outcome;
      queue.delete(waiter);
      checkQueue();
      if (outcome.kind === 'begin') return { kind: 'begin', opening: outcome.begun };
      if (outcome.kind === 'handed-over') return { kind: 'take-over', lease: outcome.given };
      return outcome;
    },
    async close() {
      isClosed = true;
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}

/** Makes a slot that ignores repeated calls of `leave()`. */
function once(slot: Slot): Slot {
  let hasLeft = false;
  return {
    get wanted() {
      return slot.wanted;
    },
    leave(slowDown) {
      if (hasLeft) return;
      hasLeft = true;
      slot.leave(slowDown);
    },
  };
}
