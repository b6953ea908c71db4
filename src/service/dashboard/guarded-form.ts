/** Forms and actions for which people confirm who they are, unless they have done so a short while ago. */
import type { FastifyReply } from 'fastify';
import type { Deps } from '../deps/deps.ts';
import { queryParameters } from '../http/parameters.ts';
import type { Right } from '../people/members/roles.ts';
import { CONFIRMED_AT_PROVIDER } from '../people/provider/confirm-by-provider.ts';
import { askToConfirm, readConfirmation, takeConfirmation } from './confirm-page.ts';
import type { Fields } from './form-fields.ts';
import {
  type Access,
  type ActionOptions,
  addAction,
  addPage,
  type DashboardDeps,
  type DashboardScope,
  type PersonVisit,
  type Visit,
  type VisitFor,
} from './visit.ts';

export interface GuardedForm<Of extends Access> {
  readonly path: string;
  readonly right: Of;
  /** Such as "create a key". */
  readonly purpose: string;
  /** Shows the form. @param typed what the person has typed before */
  show(visit: VisitFor<Of>, typed: Fields): Promise<FastifyReply>;
  /** Carries the form out. It shows the result, or the form with a fault. */
  act(visit: VisitFor<Of>, fields: Fields): Promise<FastifyReply>;
}

/** What a person may do only shortly after confirming who they are. */
interface Guarded {
  /** Such as "roll this key". */
  readonly purpose: string;
  act(fields: Fields): Promise<FastifyReply>;
  /** What follows the confirmation. @default `act` */
  resume?(typed: Fields): FastifyReply | Promise<FastifyReply>;
  /** Fields that the page of the confirmation must not have, such as passwords. They are typed again. */
  readonly secret?: readonly string[];
}

/** Whether the person has confirmed who they are a short while ago. */
export const isRecent = ({ settings }: Pick<Deps, 'settings'>, { request }: PersonVisit): boolean =>
  request.browser.signedIn!.secondsSinceConfirmed < settings.durations.reauthenticate;

/** Adds actions of a page for which people confirm who they are. */
export const guardedActions =
  <Of extends Access>(scope: DashboardScope, deps: DashboardDeps, options: ActionOptions<Of>) =>
  (path: string, purpose: string, act: (visit: VisitFor<Of>, typed: Fields) => Promise<FastifyReply>): void =>
    addAction(scope, path, options, (visit, fields) =>
      guard(deps, visit, fields, { purpose, act: (typed) => act(visit, typed) }),
    );

/**
 * Adds the form and its action. A form that is sent without a recent confirmation is refused. After the confirmation, it
 * is there again, filled in.
 */
export function addGuardedForm<Of extends Access>(
  scope: DashboardScope,
  deps: DashboardDeps,
  { path, right, purpose, show, act }: GuardedForm<Of>,
): void {
  addPage(scope, path, { right }, async (visit) =>
    isRecent(deps, visit) ? show(visit, new Map()) : askToConfirm(deps, visit, { purpose, typed: new Map() }),
  );

  addAction(scope, path, { right, back: path }, async (visit, fields) =>
    guard(deps, visit, fields, {
      purpose,
      act: (sent) => act(visit, sent),
      resume: (typed) => (typed.size > 0 ? show(visit, typed) : visit.goTo(path)),
    }),
  );
}

export interface GuardedDownload {
  readonly path: string;
  readonly right: Right;
  /** Such as "download the audit log". */
  readonly purpose: string;
  /** The page with the link. After the confirmation, the person is there again, with the same query. */
  readonly back: string;
  send(visit: Visit): FastifyReply | Promise<FastifyReply>;
}

/** What the page with the link says after the confirmation. */
export const CONFIRMED = { confirmed: 'You can download the file now.' };

/** Adds a download. Its link must not have the attribute `download`, because it may lead to a page. */
export function addGuardedDownload(
  scope: DashboardScope,
  deps: DashboardDeps,
  { path, right, purpose, back, send }: GuardedDownload,
): void {
  addPage(scope, path, { right }, async (visit) => {
    if (isRecent(deps, visit)) return send(visit);
    const query = [...queryParameters(visit.request)].map(
      ([name, values]) => [name, String(values[0])] as const,
    );
    return askToConfirm(deps, visit, { purpose, typed: new Map(query) });
  });

  addAction(scope, path, { right, back }, (visit, fields) =>
    guard(deps, visit, fields, {
      purpose,
      act: async (typed) =>
        visit.goTo(`${back}?${new URLSearchParams([...typed, ['done', 'confirmed']])}#said`),
    }),
  );
}

/** Answers a form that was sent: carries it out, or asks for a confirmation, or takes the confirmation. */
export async function guard(
  deps: DashboardDeps,
  visit: PersonVisit,
  fields: Fields,
  { purpose, act, resume = act, secret = [] }: Guarded,
): Promise<FastifyReply> {
  const { sent, rest } = readConfirmation(fields);
  const typed = new Map([...rest].filter(([field]) => !secret.includes(field)));
  if (!sent) {
    if (isRecent(deps, visit)) return fields.has(CONFIRMED_AT_PROVIDER) ? resume(typed) : act(fields);
    visit.reply.code(403);
    return askToConfirm(deps, visit, { purpose, typed });
  }
  const refused = await takeConfirmation(deps, visit, sent);
  if (refused) return askToConfirm(deps, visit, { purpose, typed, refused });
  // The session was read before.
  const { browser } = visit.request;
  visit.request.browser = { ...browser, signedIn: { ...browser.signedIn!, secondsSinceConfirmed: 0 } };
  return resume(typed);
}
