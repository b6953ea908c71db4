/** What the sections of the page of security share. */
import type { FastifyReply } from 'fastify';
import type { Removal } from '../../people/factors/change-factors.ts';
import type { Factors } from '../../people/factors/factor-store.ts';
import type { ListedPasskey } from '../../people/factors/passkey-store.ts';
import type { Fields } from '../form-fields.ts';
import type { PersonVisit } from '../visit.ts';

export const PATH = '/dashboard/security';

/** Messages on the page, in addition to what is stored. */
export interface Said {
  readonly fault?: Fault | undefined;
  /** What was typed as the name of a new passkey. */
  readonly passkeyName?: string | undefined;
  /** What was typed in the form of the address. */
  readonly typed?: Fields | undefined;
}

export interface Fault {
  readonly section: 'app' | 'passkeys' | 'codes' | 'password' | 'address' | 'leave';
  readonly text: string;
  /** The name of the wrong field. */
  readonly field?: string;
}

/** What is stored of the person. */
export interface Stored {
  readonly factors: Factors;
  readonly passkeys: readonly ListedPasskey[];
  /** What the browser needs to make a passkey. Absent until the person confirms who they are. */
  readonly creation: object | undefined;
}

/** Sends the page with the fault of one of its forms. */
export type SendSecurity = (visit: PersonVisit, said: Said) => Promise<FastifyReply>;

export const done = (visit: PersonVisit, what: string): FastifyReply =>
  visit.goTo(`${PATH}?done=${what}#said`);

export const whyKept: Readonly<Record<Exclude<Removal, 'removed' | 'unknown'>, string>> = {
  required:
    'This service requires a second factor, and this is your only one. Add another one first, then remove this one.',
  'only way in':
    'Without this passkey, you could not sign in any more. Add another one first, then remove this one.',
};
