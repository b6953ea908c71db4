/**
 * What is known of a domain: whether its mail servers accept every address. It has no address in it, so all may share it.
 *
 * | before | event | after |
 * | --- | --- | --- |
 * | unknown | a conversation claims the question | asked |
 * | asked | the server accepts or refuses the impossible address | known, for 7 days or 1 day |
 * | asked | the server says nothing about it | asked in vain, for 10 minutes |
 * | asked | the impossible address was not sent, the process died, or a minute is over | unknown |
 * | known, in vain | its time is over, or another organisation runs the mail servers | unknown |
 */
import type { Signal } from '../signal.ts';

export interface MailDomain {
  /** In its ASCII form. */
  readonly name: string;
  /** Who runs its mail servers. */
  readonly organisation: string;
}

/** What became of an impossible address at a mail server. */
export interface ProbeAnswer {
  /** Whether it was accepted. `null` for a block, a temporary refusal or silence, which say nothing. */
  readonly acceptsAll: boolean | null;
  /** The name of the mail server. */
  readonly server: string;
  /** The code of the reply. `null` without a reply. */
  readonly code: number | null;
}

export interface DomainFact extends ProbeAnswer {
  readonly learntAt: Date;
}

export type Standing =
  | { readonly kind: 'unknown' }
  /** A conversation asks now. Also if it cannot be found out whether one does. */
  | { readonly kind: 'asked' }
  /** If `acceptsAll` is `null`, the servers were asked in vain, and should not be asked again yet. */
  | { readonly kind: 'known'; readonly fact: DomainFact };

/** The right to ask the servers of a domain. */
export interface Claim {
  readonly kind: 'claimed';
  /** @param answer undefined if the impossible address was not sent. Then another may ask at once. */
  end(answer: ProbeAnswer | undefined): Promise<void>;
}

export interface DomainFacts {
  /** Never rejects. Resolves at the latest with the signal. */
  look(domain: MailDomain, signal: Signal): Promise<Standing>;
  /** Takes the right to ask, unless the fact is known or another has it. Never rejects, and ends with the signal. */
  claim(domain: MailDomain, signal: Signal): Promise<Claim | Exclude<Standing, { kind: 'unknown' }>>;
  /** Waits until no conversation asks any more. Never rejects, and ends with the signal. */
  settled(domain: MailDomain, signal: Signal): Promise<Standing>;
}

/** How long an answer counts, in seconds. A server that begins to refuse is noticed later than one that begins to accept. */
export function freshSeconds({ acceptsAll }: ProbeAnswer): number {
  if (acceptsAll === null) return 10 * 60;
  return (acceptsAll ? 7 : 1) * 24 * 60 * 60;
}

/** How long a conversation may ask. It is longer than any verification takes. */
export const LONGEST_CLAIM_S = 60;
