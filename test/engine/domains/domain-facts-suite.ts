/** What holds for all `DomainFacts`. */
import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Claim,
  DomainFacts,
  MailDomain,
  ProbeAnswer,
} from '../../../src/engine/domains/domain-facts.ts';

/** Processes that share the facts, and their clock. */
export interface FactsWorld {
  /** All in one process are the same one. */
  readonly processes: readonly DomainFacts[];
  advance(seconds: number): void;
  close(): Promise<void>;
}

const DOMAIN: MailDomain = { name: 'company.example', organisation: 'host.example' };
const ANSWER = { server: 'mx.host.example', code: 250 } as const;
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const never = new AbortController().signal;
setMaxListeners(0, never);

/** @param create makes a world in which nothing is known */
export function describeDomainFacts(name: string, create: () => Promise<FactsWorld>): void {
  describe(name, () => {
    let world: FactsWorld;
    let turn = 0;
    beforeEach(async () => {
      world = await create();
      turn = 0;
    });
    afterEach(() => world.close());

    /** Each call comes from the next process. */
    const next = () => {
      turn += 1;
      return world.processes[turn % world.processes.length]!;
    };
    const look = (domain = DOMAIN) => next().look(domain, never);
    const tryClaim = (domain = DOMAIN) => next().claim(domain, never);
    async function claim(domain?: MailDomain): Promise<Claim> {
      const claimed = await tryClaim(domain);
      if (claimed.kind !== 'claimed') throw new Error(`Expected a claim, got ${claimed.kind}.`);
      return claimed;
    }
    const learn = async (acceptsAll: boolean | null, domain?: MailDomain) =>
      (await claim(domain)).end({ ...ANSWER, acceptsAll });

    it('knows nothing at first', async () => {
      expect(await look()).toEqual({ kind: 'unknown' });
    });

    it.each([
      [true, 7 * DAY],
      [false, DAY],
      [null, 10 * MINUTE],
    ])('remembers that the domain accepts every address: %s, for %s seconds', async (acceptsAll, seconds) => {
      await learn(acceptsAll);
      world.advance(seconds - 1);
      const known = { kind: 'known', fact: { ...ANSWER, acceptsAll, learntAt: expect.any(Date) } };
      expect(await look()).toEqual(known);
      expect(await tryClaim()).toEqual(known);
      world.advance(1);
      expect(await look()).toEqual({ kind: 'unknown' });
      await claim();
    });

    it('remembers an answer without a reply', async () => {
      await (await claim()).end({ acceptsAll: null, server: 'mx.host.example', code: null });
      expect(await look()).toMatchObject({ kind: 'known', fact: { acceptsAll: null, code: null } });
    });

    it('lets one conversation ask at a time', async () => {
      const claimed = await Promise.all(Array.from({ length: 20 }, () => tryClaim()));
      const kinds = claimed.map(({ kind }) => kind).sort();
      expect(kinds).toEqual([...Array(19).fill('asked'), 'claimed']);
      expect(await look()).toEqual({ kind: 'asked' });
    });

    it('lets the next one ask at once, if the impossible address was not sent', async () => {
      await (await claim()).end(undefined);
      expect(await look()).toEqual({ kind: 'unknown' });
      await claim();
    });

    it('lets another one ask after a minute, and ignores the late answer of the first', async () => {
      const first = await claim();
      world.advance(MINUTE - 1);
      expect(await tryClaim()).toEqual({ kind: 'asked' });
      world.advance(1);
      const second = await claim();
      await first.end({ ...ANSWER, acceptsAll: true });
      await first.end(undefined);
      expect(await look()).toEqual({ kind: 'asked' });
      await second.end({ ...ANSWER, acceptsAll: false });
      expect(await look()).toMatchObject({ kind: 'known', fact: { acceptsAll: false } });
    });

    it('forgets the fact when another organisation runs the mail servers', async () => {
      const moved = { ...DOMAIN, organisation: 'other.example' };
      await learn(true);
      expect(await look(moved)).toEqual({ kind: 'unknown' });
      await learn(false, moved);
      expect(await look()).toEqual({ kind: 'unknown' });
      expect(await look(moved)).toMatchObject({ kind: 'known', fact: { acceptsAll: false } });
    });

    it('tells domains apart', async () => {
      const other = { ...DOMAIN, name: 'other.example' };
      await learn(true);
      expect(await look(other)).toEqual({ kind: 'unknown' });
      await learn(false, other);
      expect(await look()).toMatchObject({ kind: 'known', fact: { acceptsAll: true } });
    });

    it.each<[string, ProbeAnswer | undefined, string]>([
      ['it is known', { ...ANSWER, acceptsAll: true }, 'known'],
      ['it was asked in vain', { ...ANSWER, acceptsAll: null }, 'known'],
      ['nobody asks any more', undefined, 'unknown'],
    ])('lets others wait until %s', async (_, answer, kind) => {
      const claimed = await claim();
      const waiting = Promise.all([next().settled(DOMAIN, never), next().settled(DOMAIN, never)]);
      expect(await Promise.race([waiting, look()])).toEqual({ kind: 'asked' });
      await claimed.end(answer);
      expect(await waiting).toMatchObject([{ kind }, { kind }]);
    });

    it('ends the wait with the signal', async () => {
      await claim();
      const over = new AbortController();
      const waiting = next().settled(DOMAIN, over.signal);
      over.abort();
      expect(await waiting).toEqual({ kind: 'asked' });
    });
  });
}
