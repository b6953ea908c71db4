/**
 * Shares conversations between addresses. A new conversation needs a slot from the pacing. A conversation that is done
 * with its address goes to another one that waits for the same IP address. Where others are being verified, it stays open
 * for a moment for the next one, which saves the server and us a connection and a greeting. The number of recipients is
 * limited.
 */
import type { Pacing, Slot } from '../pacing/pacing.ts';
import type { Conversation } from './conversation.ts';
import { type Lease, type Opening, startWaiting, type Turn, type Waiter, type Wish } from './waiter.ts';

export interface Want extends Wish {
  /** The IP address and the source. Conversations are handed over only within a place. */
  readonly place: string;
  /** Whether it must be a new conversation. */
  readonly isNew: boolean;
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
  /** Resolves when its transaction has ended, and it was handed over, kept or ended. */
  resetting: Promise<void> | undefined;
  /** The server has asked for fewer conversations. */
  isSpent: boolean;
}

/**
 * How long a conversation stays open for the next address. Other places and processes wait for its slot for so long at
 * most, and servers close a silent connection much later.
 */
const OPEN_MS = 500;
/** How soon an open conversation ends after a caller began to wait for its slot. */
const LOOK_MS = 50;
/** A pause after a connection, so that the server has noticed its end before the next one arrives. */
const NOTICED_MS = 5;

export function createConnections(pacing: Pacing): Connections {
  /** By place. */
  const members = new Map<string, Set<Member>>();
  /** The number of conversations of each organisation that have ended and still have their slots. */
  const leaving = new Map<string, number>();
  /** Conversations without an address, and since when, longest first. */
  const unused = new Map<Member, number>();
  const queue = new Map<Waiter, Want>();
  const endings = new Set<Promise<void>>();
  let look: NodeJS.Timeout | undefined;
  let isClosed = false;

  function inBackground(work: Promise<void>): void {
    const ending = work.catch(() => {}).finally(() => endings.delete(ending));
    endings.add(ending);
  }
  function hasRoom({ conversation, isSpent, want }: Member): boolean {
    if (isSpent || !conversation?.isUsable) return false;
    return conversation.recipients < want.limits.recipientsPerConnection;
  }
  const membersAt = (place: string): Iterable<Member> => members.get(place) ?? [];
  /** Whether a conversation may still be handed over at this place. */
  function mayExpect(place: string): boolean {
    for (const { isSpent } of membersAt(place)) if (!isSpent) return true;
    for (const [waiter, want] of queue) if (want.place === place && waiter.isPending) return true;
    return false;
  }
  const checkQueue = () => {
    for (const waiter of queue.keys()) waiter.check();
  };

  function countLeaving(organisation: string, by: 1 | -1): void {
    const count = (leaving.get(organisation) ?? 0) + by;
    if (count > 0) leaving.set(organisation, count);
    else leaving.delete(organisation);
  }
  /** @param closed resolves when the connection is closed */
  function remove(member: Member, closed: Promise<void>): void {
    const { place, organisation } = member.want;
    const others = members.get(place);
    if (!others?.delete(member)) {
      inBackground(closed);
      return;
    }
    if (others.size === 0) members.delete(place);
    countLeaving(organisation, 1);
    checkQueue();
    const leave = () => {
      countLeaving(organisation, -1);
      member.slot.leave(false);
    };
    inBackground(
      closed.finally(() => new Promise((resolve) => setTimeout(resolve, NOTICED_MS))).finally(leave),
    );
  }
  function retire(member: Member): void {
    unused.delete(member);
    const conversation = member.conversation!;
    const closed = conversation.end().finally(() => conversation.isUnwelcome && slowDown(member));
    remove(member, closed);
  }
  /** Gives the slot back at once, so that no other conversation begins while this one ends. */
  function slowDown({ slot, want }: Member): void {
    slot.leave(true);
    for (const others of members.values())
      for (const member of others) if (member.want.organisation === want.organisation) member.isSpent = true;
    endUnused();
    checkQueue();
  }
  /** Whether more callers wait for a slot than slots are about to be given back. */
  const isWanted = ({ slot, want }: Member) => slot.wanted > (leaving.get(want.organisation) ?? 0);
  /** Whether an address waits for a conversation with the organisation. */
  function isAwaited(organisation: string): boolean {
    for (const [waiter, want] of queue)
      if (want.organisation === organisation && waiter.isWaiting) return true;
    return false;
  }
  /**
   * Hands the conversation over to the address that has waited longest, or keeps it open for the next one, or ends it.
   * The background comes last: if a waiting caller needs a slot for another conversation, this one ends.
   */
  function offer(member: Member): void {
    let first: Waiter | undefined;
    let urgent: Waiter | undefined;
    for (const [waiter, { place, inBackground }] of queue) {
      if (place !== member.want.place || !waiter.isWaiting) continue;
      first ??= waiter;
      if (!inBackground) urgent ??= waiter;
    }
    const next = urgent ?? (isWanted(member) ? undefined : first);
    if (next) next.handOver(lease(member));
    else if (hasCompany(member) && mayKeep(member)) keep(member);
    else retire(member);
  }
  /** Whether another address is being verified at the place, so that the next one probably comes soon. */
  function hasCompany(member: Member): boolean {
    for (const other of membersAt(member.want.place)) if (other !== member && !unused.has(other)) return true;
    return false;
  }
  /** Whether nobody needs its slot for another conversation. */
  const mayKeep = (member: Member) =>
    !isClosed && hasRoom(member) && !isWanted(member) && !isAwaited(member.want.organisation);
  function keep(member: Member): void {
    unused.set(member, performance.now());
    look ??= setTimeout(endUnused, LOOK_MS);
  }
  /** Ends the unused conversations that are not kept any longer. */
  function endUnused(): void {
    clearTimeout(look);
    const since = performance.now() - OPEN_MS;
    for (const [member, at] of unused) if (at <= since || !mayKeep(member)) retire(member);
    look = unused.size > 0 ? setTimeout(endUnused, LOOK_MS) : undefined;
  }
  /** The conversation that was used last, so that those that are too many end. */
  function takeUnused({ place, inBackground: isBehind }: Want): Member | undefined {
    let found: Member | undefined;
    let foundAt = Number.NEGATIVE_INFINITY;
    for (const member of membersAt(place)) {
      const at = unused.get(member);
      if (at === undefined || at < foundAt || !hasRoom(member)) continue;
      found = member;
      foundAt = at;
    }
    if (!found || (isBehind && isWanted(found))) return undefined;
    unused.delete(found);
    return found;
  }
  /** The end of a transaction whose conversation no other address waits for. It takes less time than a new conversation. */
  function nextReset(place: string): Promise<void> | undefined {
    let before = 0;
    for (const [waiter, want] of queue) if (want.place === place && waiter.isWaiting) before += 1;
    for (const { resetting, isSpent } of membersAt(place))
      if (resetting && !isSpent && before-- === 0) return resetting;
    return undefined;
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
        const next = (isReset: boolean) => {
          if (conversation.isUnwelcome) slowDown(member);
          return isReset && hasRoom(member) ? offer(member) : retire(member);
        };
        member.resetting = conversation
          .reset()
          .then(next, () => retire(member))
          .finally(() => {
            member.resetting = undefined;
          });
        inBackground(member.resetting);
      },
    };
  }
  function begin(want: Want, slot: Slot): Opening {
    const member: Member = { want, slot, conversation: undefined, resetting: undefined, isSpent: false };
    const others = members.get(want.place);
    if (others) others.add(member);
    else members.set(want.place, new Set([member]));
    return {
      opened(conversation) {
        member.conversation = conversation;
        return lease(member);
      },
      failed(isSlowDown, closed) {
        if (isSlowDown) slowDown(member);
        const left = closed.then((isUnwelcome) => {
          if (isUnwelcome) slowDown(member);
        });
        remove(member, left);
      },
    };
  }

  return {
    async turn(want) {
      const { place, isNew } = want;
      if (isClosed || want.signal.aborted || want.calledOff?.aborted)
        return { kind: 'held-back', why: 'connections' };
      const open = isNew ? undefined : takeUnused(want);
      if (open) return { kind: 'take-over', lease: lease(open) };
      const waiter = startWaiting(pacing, {
        ...want,
        mayExpect: () => !isNew && mayExpect(place),
        after: isNew ? undefined : nextReset(place),
        begin: (slot) => begin(want, slot),
      });
      if (!isNew) queue.set(waiter, want);
      const turn = await waiter.turn;
      queue.delete(waiter);
      checkQueue();
      return turn;
    },
    async close() {
      isClosed = true;
      endUnused();
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}
