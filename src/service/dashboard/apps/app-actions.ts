/** The actions on the page of an app: change it, roll its secret, end the old secret, delete it. */
import type { FastifyReply } from 'fastify';
import { type App, findApp } from '../../oauth/apps/app-store.ts';
import { CLIENT_ID } from '../../oauth/apps/authenticate-app.ts';
import {
  type Changed,
  changeApp,
  endSecretOverlap,
  removeApp,
  rollSecret,
} from '../../oauth/apps/manage/manage-apps.ts';
import type { Fault, Fields } from '../form-fields.ts';
import { guard } from '../guarded-form.ts';
import {
  actorOf,
  addAction,
  addPage,
  type DashboardDeps,
  type DashboardScope,
  type Visit,
} from '../visit.ts';
import { OVERLAPS, sendApp } from './app-details.ts';
import { seenOf, typedOf } from './app-form.ts';
import { APPS } from './app-list.ts';
import { readSettings } from './read-app-form.ts';
import { revealApp } from './reveal-app.ts';

const PATH = `${APPS}/:clientId`;
const OUT_OF_DATE: Fault = {
  field: 'seen',
  message: 'The app has changed since you opened this page. Check its settings, then save again.',
};

export function appPages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, publicUrl } = deps;

  /** Finds the app in the path, or sends the page “Not found”. */
  async function withApp(visit: Visit, answer: (app: App) => Promise<FastifyReply>): Promise<FastifyReply> {
    const { clientId } = visit.request.params as { clientId: string };
    const app = CLIENT_ID.test(clientId) ? await findApp(db, clientId) : undefined;
    return app?.account_id === visit.accountId ? answer(app) : visit.notFound('app');
  }

  const act = (path: string, answer: (visit: Visit, app: App, fields: Fields) => Promise<FastifyReply>) =>
    addAction(scope, path, { right: 'manageKeys', back: APPS }, (visit, fields) =>
      withApp(visit, (app) => answer(visit, app, fields)),
    );

  addPage(scope, PATH, { right: 'see' }, (visit) => withApp(visit, (app) => sendApp(visit, deps, app)));

  act(PATH, (visit, app, fields) =>
    opensMore(app, fields)
      ? guard(deps, visit, fields, {
          purpose: 'add ways in which this app gets access',
          act: (sent) => change(visit, app, sent),
        })
      : change(visit, app, fields),
  );

  async function change(visit: Visit, app: App, fields: Fields): Promise<FastifyReply> {
    let fault: Fault | undefined;
    let latest = app;
    const outcome = await changeApp(db, actorOf(visit), named(visit, app), (locked) => {
      latest = locked;
      const settings = fields.get('seen') === seenOf(locked) ? readSettings(fields) : OUT_OF_DATE;
      if (!('message' in settings)) return settings;
      fault = settings;
      return 'conflict';
    });
    if (fault) return sendApp(visit, deps, latest, { typed: fields, fault });
    return visit.goTo(afterChange(app, outcome));
  }

  act(`${PATH}/roll`, (visit, app, fields) =>
    guard(deps, visit, fields, {
      purpose: 'roll the secret of this app',
      act: (sent) => roll(visit, app, sent),
    }),
  );

  async function roll(visit: Visit, app: App, fields: Fields): Promise<FastifyReply> {
    const [overlap, words] = OVERLAPS.find(([seconds]) => seconds === fields.get('overlap')) ?? [];
    if (overlap === undefined) {
      const message = 'Choose how long the old secret keeps working.';
      return sendApp(visit, deps, app, { typed: typedOf(app), fault: { field: 'overlap', message } });
    }
    const how = { overlapSeconds: Number(overlap), version: fields.get('version') ?? '' };
    const rolled = await rollSecret(db, actorOf(visit), named(visit, app), how);
    // Usually a reload of the page that showed the secret.
    if (rolled === 'rolled before') return visit.goTo(`${pathOf(app)}?done=rolled-before`);
    if (!rolled) return visit.notFound('app with a secret');
    const { name, client_id: clientId } = app;
    const { secret } = rolled;
    const lead = `The app has a new secret, and the old one ${words}. Copy the new secret now: it is not shown again.`;
    return revealApp(visit, { title: 'Secret rolled', lead, name, clientId, secret, url: publicUrl.now() });
  }

  act(`${PATH}/end-old`, async (visit, app) => {
    await endSecretOverlap(db, actorOf(visit), named(visit, app));
    return visit.goTo(`${pathOf(app)}?done=ended`);
  });

  act(`${PATH}/delete`, async (visit, app) => {
    await removeApp(db, actorOf(visit), named(visit, app));
    return visit.goTo(`${APPS}?done=deleted`);
  });
}

/**
 * Whether the app could then get access where it could not before. People trust an app by its name, so a thief of the
 * session could lead their codes elsewhere.
 */
function opensMore(app: App, fields: Fields): boolean {
  const settings = readSettings(fields);
  if ('message' in settings) return false;
  const { redirectUris, allowsDevice } = settings;
  return redirectUris.some((uri) => !app.redirect_uris.includes(uri)) || (allowsDevice && !app.allows_device);
}

const pathOf = ({ client_id }: App): string => `${APPS}/${client_id}`;
const named = ({ accountId }: Visit, { client_id: clientId }: App) => ({ clientId, accountId });

/** If the app was deleted meanwhile, its page says “Not found”. */
const afterChange = (app: App, outcome: Changed): string =>
  outcome === 'no such app' ? pathOf(app) : `${pathOf(app)}?done=${outcome}`;
