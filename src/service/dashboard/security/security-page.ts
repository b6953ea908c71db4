/** `/dashboard/security`: the password, the second factors and the sessions of the signed-in person. */
import type { Deps } from '../../deps/deps.ts';
import { html } from '../../pages/html.ts';
import { factorsOf, hasSecondFactor } from '../../people/factors/factor-store.ts';
import { mustKeepFactor } from '../../people/factors/obliged.ts';
import { listPasskeys } from '../../people/factors/passkey-store.ts';
import { canHavePasskeys, creationOptions } from '../../people/factors/passkeys.ts';
import { listPersonEvents } from '../../people/persons/person-event-store.ts';
import { done } from '../done.ts';
import { isRecent } from '../guarded-form.ts';
import { addPage, type DashboardDeps, type DashboardScope, type PersonVisit } from '../visit.ts';
import { addressAction, addressSection } from './address-section.ts';
import { appActions, appSection } from './app-section.ts';
import { changesSection, MOST_CHANGES, newsActions } from './changes-section.ts';
import { codesActions, codesSection } from './codes-section.ts';
import { leaveAction, leaveSection } from './leave-section.ts';
import { passkeysActions, passkeysSection } from './passkeys-section.ts';
import { passwordAction, passwordSection } from './password-section.ts';
import { PATH, type SendSecurity, type Stored } from './security-section.ts';
import { readSessions, sessionsActions, sessionsSection } from './sessions-section.ts';
import { sincePages } from './since-pages.ts';
import { totpPage } from './totp-page.ts';

const DONE = {
  password: 'Your password was changed. All other sessions have ended.',
  address: 'Your email address was changed. From now on, you sign in with the new one.',
  'address-as-before': 'The email address is the same as before.',
  session: 'The session has ended.',
  browser: 'The browser was forgotten.',
  sessions: 'All other sessions have ended.',
  revoked: 'The keys and apps were revoked.',
  dismissed: 'The notice is gone. The changes are listed below.',
  app: 'The authenticator app is set up. The one from before no longer works.',
  'app-removed': 'The authenticator app was removed.',
  'passkey-added': 'The passkey was added.',
  'passkey-renamed': 'The passkey has its new name.',
  'passkey-removed': 'The passkey was removed. Delete it on your device, too.',
  'code-used': 'You have signed in with a recovery code. Few are left: make new ones now.',
  'no-factor': 'You have no second factor, so there are no recovery codes.',
};

export function securityPages(scope: DashboardScope, deps: DashboardDeps): void {
  const send: SendSecurity = async (visit, said) => {
    const stored = await read(deps, visit);
    const isNeeded = !hasSecondFactor(stored.factors) && (await mustKeepFactor(deps, visit.person.id));
    return visit.send({
      title: said.fault ? 'Not changed' : 'Security',
      main: html`<h1>Security</h1>
${said.fault === undefined && done(visit, DONE)}
${isNeeded && html`<p class="warning">This service requires a second factor. Set up an authenticator app or add a passkey. Then you can go on.</p>`}
${passwordSection(visit, stored, said)}
${addressSection(visit, stored, said)}
${appSection(visit, stored, said)}
${passkeysSection(deps, visit, stored, said)}
${codesSection(visit, stored)}
${sessionsSection(visit, await readSessions(deps, visit))}
${changesSection(visit, await listPersonEvents(deps.db, visit.person.id, MOST_CHANGES))}
${await leaveSection(deps.db, visit, said)}`,
    });
  };

  addPage(scope, PATH, { right: 'own' }, (visit) => send(visit, {}));
  passwordAction(scope, deps, send);
  addressAction(scope, deps, send);
  sessionsActions(scope, deps);
  newsActions(scope, deps);
  sincePages(scope, deps);
  appActions(scope, deps, send);
  passkeysActions(scope, deps, send);
  codesActions(scope, deps);
  leaveAction(scope, deps, send);
  totpPage(scope, deps);
}

async function read(deps: Pick<Deps, 'db' | 'settings'>, visit: PersonVisit): Promise<Stored> {
  const { person, request } = visit;
  return {
    factors: await factorsOf(deps.db, person.id),
    passkeys: await listPasskeys(deps.db, person.id),
    creation:
      isRecent(deps, visit) && canHavePasskeys(deps)
        ? await creationOptions(deps, person, request.browser.value)
        : undefined,
  };
}
