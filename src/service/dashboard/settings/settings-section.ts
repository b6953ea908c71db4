/** Shared by the sections of the settings. */
import type { FastifyReply } from 'fastify';
import type { Fields } from '../form-fields.ts';
import type { Visit } from '../visit.ts';

export const PATH = '/dashboard/settings';

/** Messages on the page, in addition to its settings. */
export interface Said {
  /** The fault, and its section. */
  readonly fault?: Fault | undefined;
  /** The change that led to this page. */
  readonly done?: string | undefined;
  /** The values typed in the section of the fault. Never a password. */
  readonly typed?: Fields | undefined;
}

export interface Fault {
  readonly section: Section;
  readonly text: string;
  /** The name of the wrong field, if the section has several. */
  readonly field?: string;
}

export type Section = 'deletion' | 'notices' | 'retention';

/** A fault in its own section. Only one section has one, so one id is enough. */
export const faultOf = (said: Said, section: Section): string | undefined =>
  said.fault?.section === section ? said.fault.text : undefined;

export const done = (visit: Visit, what: string): FastifyReply => visit.goTo(`${PATH}?done=${what}#said`);
