/** What the parts of the settings have in common. */
import type { FastifyReply } from 'fastify';
import type { Actor } from '../../audit/store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Visit } from '../visit.ts';

export const PATH = '/dashboard/settings';

/** What the page says besides its settings. */
export interface Said {
  /** What was typed wrong, and in which section. */
  readonly fault?: Fault | undefined;
  /** Which change was made before the page was opened. */
  readonly done?: string | undefined;
  /** What was typed in the section of the fault. Never a password. */
  readonly typed?: ReadonlyMap<string, string> | undefined;
}

export interface Fault {
  readonly section: Section;
  readonly text: string;
  /** The name of the field that is wrong, if the section has several. */
  readonly field?: string;
}

export type Section = 'password' | 'retention';

/** A fault in its own section. Only one section has one, so one id is enough. */
export const faultOf = (said: Said, section: Section): string | undefined =>
  said.fault?.section === section ? said.fault.text : undefined;

/** The person who has signed in is the owner of the account. */
export const ownerOf = ({ email }: Visit): Actor => ({ kind: 'owner', name: email });

/** A moment. Scripts tell it in the reader's own time zone. */
export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${SHOWN.format(at)} UTC</time>`;

const SHOWN = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

export const done = (visit: Visit, what: string): FastifyReply => visit.goTo(`${PATH}?done=${what}#said`);
