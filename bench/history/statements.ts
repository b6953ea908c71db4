/**
 * What the service sends to the database: the functions of its stores, called as the service calls them, on the rows of
 * `fill.ts`. A test compares this list with what the stores export, so that no statement is left out.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as audit from '../../src/service/audit/audit-store.ts';
import * as alerts from '../../src/service/batch/alerts/alert-store.ts';
import * as batches from '../../src/service/batch/batch-store.ts';
import * as callbacks from '../../src/service/batch/callbacks/callback-store.ts';
import * as downloads from '../../src/service/batch/download/download-store.ts';
import { entriesOf } from '../../src/service/batch/entries/collected-entries.ts';
import * as exported from '../../src/service/batch/export/export-store.ts';
import * as claims from '../../src/service/batch/live/claim-store.ts';
import * as manage from '../../src/service/batch/manage/manage-batches-store.ts';
import * as overview from '../../src/service/batch/overview/batch-overview-store.ts';
import * as pace from '../../src/service/batch/pace/pace-store.ts';
import * as results from '../../src/service/batch/results/result-store.ts';
import * as storage from '../../src/service/batch/storage/storage-store.ts';
import * as names from '../../src/service/batch/stored-address/name-store.ts';
import * as stored from '../../src/service/batch/stored-address/stored-address-store.ts';
import * as turns from '../../src/service/batch/turns/turn-store.ts';
import * as waiting from '../../src/service/batch/waiting/waiting-store.ts';
import * as books from '../../src/service/books/books-store.ts';
import * as nights from '../../src/service/books/night-store.ts';
import { DEFAULT_DURATIONS } from '../../src/service/config/sections/durations-section.ts';
import * as payments from '../../src/service/credits/billing/payment-store.ts';
import * as closing from '../../src/service/credits/closing/closing-store.ts';
import * as credits from '../../src/service/credits/credit-store.ts';
import * as ledger from '../../src/service/credits/history/ledger-store.ts';
import type { Db } from '../../src/service/database/schema.ts';
import * as statistics from '../../src/service/database/statistics-store.ts';
import * as deletion from '../../src/service/deletion/deletion-store.ts';
import * as idempotency from '../../src/service/idempotency/idempotency-store.ts';
import * as processes from '../../src/service/jobs/process-store.ts';
import * as suspects from '../../src/service/jobs/suspect-store.ts';
import * as keys from '../../src/service/keys/key-store.ts';
import * as manageKeys from '../../src/service/keys/manage/manage-keys-store.ts';
import * as limits from '../../src/service/limits/limit-store.ts';
import * as lists from '../../src/service/lists/list-store.ts';
import * as notices from '../../src/service/notices/notice-store.ts';
import * as apps from '../../src/service/oauth/apps/app-store.ts';
import * as manageApps from '../../src/service/oauth/apps/manage/manage-apps-store.ts';
import * as devices from '../../src/service/oauth/device/device-store.ts';
import * as grants from '../../src/service/oauth/tokens/grant-store.ts';
import * as tokens from '../../src/service/oauth/tokens/token-store.ts';
import * as metrics from '../../src/service/operations/metrics/metrics-store.ts';
import * as accounts from '../../src/service/people/accounts/account-store.ts';
import * as factorApps from '../../src/service/people/factors/authenticator-app-store.ts';
import * as factors from '../../src/service/people/factors/factor-store.ts';
import * as halfSignIns from '../../src/service/people/factors/half-sign-in-store.ts';
import * as passkeys from '../../src/service/people/factors/passkey-store.ts';
import * as recoveryCodes from '../../src/service/people/factors/recovery-code-store.ts';
import * as invitations from '../../src/service/people/members/invitation-store.ts';
import * as members from '../../src/service/people/members/member-store.ts';
import * as personEvents from '../../src/service/people/persons/person-event-store.ts';
import * as persons from '../../src/service/people/persons/person-store.ts';
import * as provider from '../../src/service/people/provider/provider-store.ts';
import * as browsers from '../../src/service/people/sessions/known-browser-store.ts';
import * as sessions from '../../src/service/people/sessions/session-store.ts';
import * as guesses from '../../src/service/people/sign-in/guess-store.ts';
import * as signInLinks from '../../src/service/people/sign-in/sign-in-link-store.ts';
import { makeKeyPair } from '../../src/service/proof/key-pair.ts';
import * as proofKeys from '../../src/service/proof/proof-key-store.ts';
import * as usage from '../../src/service/usage/usage-store.ts';
import * as domains from '../../src/service/verify/domains/domain-facts-store.ts';
import * as live from '../../src/service/verify/live/live-store.ts';
import * as pacing from '../../src/service/verify/pacing/pacing-store.ts';
import * as renewals from '../../src/service/verify/renewals/renewal-store.ts';
import { IS_SUSPECT } from '../../src/service/webhooks/webhook-store.ts';
import { resultOf } from '../../test/service/support/result.ts';
import {
  accountId,
  batchId,
  clientId,
  keyId,
  listId,
  md5,
  paymentId,
  personId,
  processId,
  SHARERS,
  sha256,
  uuidOf,
} from './fill.ts';
import type { Quietly } from './record.ts';

/** Who waits for a statement. An operator waits for what has no bound, because it is asked for by hand. */
export type Asker = 'request' | 'look' | 'page' | 'scrape' | 'housekeeping' | 'operator';

export interface Call {
  readonly by: Asker;
  /** What is special about it, if a function is called in several ways. */
  readonly what?: string;
  readonly run: (db: Db, quietly: Quietly) => Promise<unknown>;
}

type Run = Call['run'];

const called =
  (by: Asker) =>
  (run: Run, what?: string): Call => ({ by, run, ...(what !== undefined && { what }) });
const request = called('request');
const look = called('look');
const page = called('page');
const scrape = called('scrape');
const housekeeping = called('housekeeping');
const operator = called('operator');

const OWNER = accountId(1);
const OTHER = accountId(11);
const PERSON = personId(1);
const MEMBER = { accountId: OWNER, personId: PERSON };
const ME = processId(1);
/** A process whose claims nobody has. */
const NEW = uuidOf('process new');
const KEY = keyId(1);
const PUBLIC_KEY = keyId(2);
const OPEN = batchId('open 3');
const SAMPLES = batchId('open 1');
const SEARCHED = batchId('searched');
const GIVEN_UP = batchId('kept 30');
const KEPT = batchId('kept 10');
const LIST = listId('searched');
const DRAFT = listId('draft 1');
const APP = clientId(1);
const SESSION = sha256('session 1');
const GUESS = sha256('guess 1');
const RUNNING = uuidOf('running10');
const VISITOR = { keyId: PUBLIC_KEY, ip: '10.0.0.5' };
const KEYED: idempotency.KeyedRequest = {
  ...{ accountId: OWNER, route: '/v1/verify', key: 'key 10', request: sha256('10') },
  mode: 'live',
};
const NEW_KEYED = { ...KEYED, key: 'new' };
const NO_FILTER = { states: [] };
const SIZE = { rows: 500, bytes: 100_000 };
const SLICE = { offset: 0, limit: 50 };
const RULE = { free: 5, firstPause: 30, longestPause: 3_600 };
const SCHEDULE = DEFAULT_DURATIONS;
const CAPACITY = { most: 25, mostOfAccount: 20, mostOfReceiver: 4 };
const FACTS = {
  tables: [
    {
      columns: 2,
      rows: 2,
      titles: 0,
      header: ['Name', 'Email'],
      addressColumn: 1,
      addresses: [0, 1],
      longest: [6, 19],
    },
  ],
  chosen: 0,
};
const MONTH = new Date().toISOString().slice(0, 7);
const DAY = new Date().toISOString().slice(0, 10);

const entries = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ address: `new-${number}@shop.example`, duplicates: 0 }));
const newBatch = (id: string): batches.NewBatch => ({
  ...{
    id,
    accountId: OWNER,
    total: 10,
    entries: entriesOf(entries(10)),
    responseFields: null,
    retries: true,
  },
  ...{ url: 'https://shop.example/done', mode: 'live' },
});
const newPair = () => ({
  digests: { handle: randomBytes(32), refreshToken: randomBytes(32), accessToken: randomBytes(32) },
  seconds: 7200,
});
const newCode = () => ({
  ...{
    digest: randomBytes(32),
    client_id: APP,
    account_id: OWNER,
    person_id: PERSON,
    redirect_uri: 'https://app.example/1',
  },
  ...{ sent_uri: null, challenge: 'challenge' },
});
const newDevice = () => ({
  ...{ clientId: APP, deviceCode: randomBytes(32), userCode: randomBytes(32), seconds: 900, interval: 5 },
});
const beginning = (accountId_: string) => ({
  ...{ id: randomUUID(), accountId: accountId_, question: randomBytes(32), isWanted: () => true },
  rate: { endpoint: '/v1/verify', limit: 1_000 },
});
const OF_PROCESS = { processId: ME, keepSeconds: 300 };
const ended = { givesBack: true, isPromised: false, hasOutcome: true };
const result = (place: number) => {
  const { duration: _, ...rest } = resultOf(`person-${place}@shop.example`, 'unknown');
  return rest;
};

/** Gives every address of a batch a result. */
const finishAll = (db: Db, id: string) =>
  sql`
    update batch_rows set process_id = null, due_at = null, reason = 'timeout', result = '{}' where batch_id = ${id}
  `.execute(db);
/** As if the batches that still have their progress were just completed. */
const completeNow = (db: Db) =>
  sql`
    update batches set completed_at = now() - interval '2 minutes'
    where completed_at is not null and id in (select batch_id from batch_progress)
  `.execute(db);
const expire = (db: Db, id: string) =>
  sql`update batches set expires_at = now() - interval '1 hour' where id = ${id}`.execute(db);

async function collect(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}

type Statements<Store> = Readonly<{
  readonly [Name in keyof Store]?: Call | readonly Call[];
}>;

/** Exported with `db`, but sends nothing itself, or is a part of another function's statement. */
export const SENDS_NOTHING: readonly string[] = [
  'keys/key-store.ts: sealCaptcha',
  'keys/key-store.ts: openKey',
  'proof/proof-key-store.ts: openProofKey',
];

/** Only the demo's first start sends it. */
export const DEMO = 'demo/demo-store.ts';

const OF_ACCOUNTS: Statements<typeof accounts> = {
  insertAccount: operator((db) => accounts.insertAccount(db, 'new@shop.example')),
  findAccountByEmail: page((db) => accounts.findAccountByEmail(db, 'owner-1@shop.example')),
  findAccountById: page((db) => accounts.findAccountById(db, OWNER)),
  holdAccount: request((db) => accounts.holdAccount(db, OWNER)),
  listAccounts: operator((db) => accounts.listAccounts(db)),
  setAccountLimits: operator((db) => accounts.setAccountLimits(db, OWNER, { batch_size: 10 })),
  rollCallbackSecret: page((db) => accounts.rollCallbackSecret(db, OWNER)),
  endFormerCallbackSecret: page((db) => accounts.endFormerCallbackSecret(db, OWNER)),
  forgetFormerSecrets: housekeeping((db) => accounts.forgetFormerSecrets(db)),
  findCallbackSecrets: look((db) => accounts.findCallbackSecrets(db, OWNER)),
  findFormerSecretEnd: page((db) => accounts.findFormerSecretEnd(db, OWNER)),
  setKeepResults: page((db) => accounts.setKeepResults(db, OWNER, 86_400)),
  markDeleted: operator((db) => accounts.markDeleted(db, OTHER)),
  countDeleted: operator((db) => accounts.countDeleted(db)),
  findDeleted: operator((db) => accounts.findDeleted(db, 10)),
  findUnlockedDeleted: housekeeping((db) => accounts.findUnlockedDeleted(db)),
  setOwnerEmail: operator((db) =>
    accounts.setOwnerEmail(db, OWNER, 'owner-1@shop.example', 'new@shop.example'),
  ),
  findDeletedByEmail: operator((db) => accounts.findDeletedByEmail(db, 'owner-1@shop.example')),
  removeAccount: housekeeping((db) => accounts.removeAccount(db, OTHER)),
};

const OF_PERSONS: Statements<typeof persons> = {
  createPerson: page((db) => persons.createPerson(db, { email: 'new@shop.example', passwordHash: 'x' })),
  findPersonByEmail: page((db) => persons.findPersonByEmail(db, 'owner-1@shop.example')),
  findPersonById: page((db) => persons.findPersonById(db, PERSON)),
  replacePasswordHash: page((db) => persons.replacePasswordHash(db, PERSON, 'hash', 'hash')),
  setPersonPassword: page((db) => persons.setPersonPassword(db, PERSON, 'new', 'hash')),
  deletePerson: operator((db) => persons.deletePerson(db, personId(11))),
  setAddress: page((db) => persons.setAddress(db, PERSON, 'new@shop.example')),
  holdPerson: page((db) => persons.holdPerson(db, PERSON)),
  lockPerson: operator((db) => persons.lockPerson(db, PERSON)),
  listPersons: operator((db) => persons.listPersons(db)),
};

const OF_MEMBERS: Statements<typeof members> = {
  setMember: page((db) => members.setMember(db, OWNER, personId(11), 'viewer')),
  replaceMember: page((db) => members.replaceMember(db, OWNER, personId(11), 'viewer')),
  membershipsOf: page((db) => members.membershipsOf(db, PERSON)),
  forgetMembersOf: housekeeping((db) => members.forgetMembersOf(db, OTHER)),
  roleOf: page((db) => members.roleOf(db, OWNER, PERSON)),
  lockMembers: page((db) => members.lockMembers(db, OWNER)),
  listMembers: page((db) => members.listMembers(db, OWNER)),
  ownersOf: page((db) => members.ownersOf(db, OWNER)),
  deleteMember: page((db) => members.deleteMember(db, OWNER, PERSON)),
};

const INVITATION = {
  ...{ id: 'inv_000000000000000000000000', accountId: OWNER, email: 'new@shop.example' },
  ...{ role: 'viewer' as const, digest: sha256('new invitation'), inviterId: PERSON, seconds: 604_800 },
} as const;
const INVITED = `inv_${md5('invitation 1').slice(0, 24)}`;

const OF_INVITATIONS: Statements<typeof invitations> = {
  putInvitation: page((db) => invitations.putInvitation(db, INVITATION)),
  listInvitations: page((db) => invitations.listInvitations(db, OWNER)),
  countInvitations: page((db) => invitations.countInvitations(db, OWNER)),
  findInvitation: page((db) => invitations.findInvitation(db, sha256('invitation 1'))),
  isInvited: page((db) => invitations.isInvited(db, 'new@shop.example')),
  findRoleInvited: page((db) => invitations.findRoleInvited(db, OWNER, 'new@shop.example')),
  findInvited: page((db) => invitations.findInvited(db, OWNER, INVITED)),
  deleteInvitation: page((db) => invitations.deleteInvitation(db, INVITED)),
  forgetInvitationsOf: operator((db) => invitations.forgetInvitationsOf(db, OTHER)),
  forgetInvitations: housekeeping((db) => invitations.forgetInvitations(db)),
};

const OF_SIGN_IN_LINKS: Statements<typeof signInLinks> = {
  putSignInLink: operator((db) => signInLinks.putSignInLink(db, PERSON, sha256('new link'), 600)),
  findPersonOfLink: page((db) => signInLinks.findPersonOfLink(db, sha256('link 1'))),
  spendSignInLink: page((db) => signInLinks.spendSignInLink(db, sha256('link 1'))),
  forgetSignInLinks: housekeeping((db) => signInLinks.forgetSignInLinks(db)),
};

const IDENTITY = { issuer: 'https://login.example', subject: 'subject-1' };

const OF_PROVIDER: Statements<typeof provider> = {
  insertRequest: page((db) =>
    provider.insertRequest(db, {
      ...{ state: Buffer.alloc(32, 1), browser: Buffer.alloc(32, 2), sealed: null },
      ...{ personId: PERSON, returnTo: '/dashboard/' },
    }),
  ),
  takeRequest: page((db) => provider.takeRequest(db, Buffer.alloc(32, 1), Buffer.alloc(32, 2))),
  forgetProviderRequests: housekeeping((db) => provider.forgetProviderRequests(db)),
  findIdentity: page((db) => provider.findIdentity(db, IDENTITY)),
  insertIdentity: page((db) => provider.insertIdentity(db, { ...IDENTITY, subject: 'new' }, PERSON)),
  deleteIdentities: operator((db) => provider.deleteIdentities(db, PERSON)),
  putProviderSession: page((db) =>
    provider.putProviderSession(db, SESSION, { ...IDENTITY, sid: 'session-1' }),
  ),
  findLoggedOut: page((db) => provider.findLoggedOut(db, { ...IDENTITY, sid: 'session-1' })),
  takeLogoutToken: page((db) => provider.takeLogoutToken(db, Buffer.alloc(32, 3), 660)),
  forgetLogoutTokens: housekeeping((db) => provider.forgetLogoutTokens(db)),
};

const OF_SESSIONS: Statements<typeof sessions> = {
  findSession: request((db) => sessions.findSession(db, SESSION, 7200)),
  insertSession: page((db) =>
    sessions.insertSession(db, {
      ...{ id: randomBytes(32), personId: PERSON, passwordHash: 'hash', seconds: 60, replaces: SESSION },
      ...{ userAgent: 'Mozilla/5.0', idleSeconds: 60, network: '192.0.2.1', browserId: randomBytes(32) },
    }),
  ),
  chooseAccount: page((db) => sessions.chooseAccount(db, SESSION, OWNER)),
  setOwnedAccount: page((db) => sessions.setOwnedAccount(db, OWNER, PERSON, true)),
  leaveAccount: page((db) => sessions.leaveAccount(db, OWNER, PERSON)),
  confirmSession: page((db) => sessions.confirmSession(db, SESSION, PERSON)),
  endSession: page((db) => sessions.endSession(db, SESSION)),
  endSessionsOf: page((db) => sessions.endSessionsOf(db, PERSON)),
  listSessions: page((db) => sessions.listSessions(db, PERSON, SESSION)),
  countSessions: page((db) => sessions.countSessions(db, PERSON)),
  endSessionOf: page((db) => sessions.endSessionOf(db, PERSON, SESSION)),
  endBrowserOf: page((db) => sessions.endBrowserOf(db, PERSON, SESSION)),
  endOtherSessions: page((db) => sessions.endOtherSessions(db, PERSON, SESSION)),
  forgetEndedSessions: housekeeping((db) => sessions.forgetEndedSessions(db)),
};

const OF_FACTORS: Statements<typeof factors> = {
  holdPerson: page((db) => factors.holdPerson(db, PERSON)),
  factorsOf: page((db) => factors.factorsOf(db, PERSON)),
  mustHaveFactor: page((db) => factors.mustHaveFactor(db, PERSON, 'admins')),
  lacksFactor: request((db) => factors.lacksFactor(db, PERSON, 'admins')),
  removeFactors: page((db) => factors.removeFactors(db, PERSON)),
};

const OF_FACTOR_APPS: Statements<typeof factorApps> = {
  beginSetUp: page((db) => factorApps.beginSetUp(db, PERSON)),
  findSetUp: page((db) => factorApps.findSetUp(db, PERSON)),
  findApp: page((db) => factorApps.findApp(db, PERSON)),
  confirmSetUp: page((db) => factorApps.confirmSetUp(db, PERSON, 'totp_1', 1)),
  spendStep: page((db) => factorApps.spendStep(db, 'totp_1', 1)),
  removeApp: page((db) => factorApps.removeApp(db, PERSON)),
  forgetSetUps: housekeeping((db) => factorApps.forgetSetUps(db)),
};

const OF_HALF_SIGN_INS: Statements<typeof halfSignIns> = {
  insertHalfSignIn: page((db) =>
    halfSignIns.insertHalfSignIn(db, {
      ...{ id: randomBytes(32), personId: PERSON, passwordDigest: SESSION, returnTo: undefined },
    }),
  ),
  findHalfSignIn: page((db) => halfSignIns.findHalfSignIn(db, SESSION)),
  endHalfSignIn: page((db) => halfSignIns.endHalfSignIn(db, SESSION)),
  forgetHalfSignIns: housekeeping((db) => halfSignIns.forgetHalfSignIns(db)),
};

const OF_PASSKEYS: Statements<typeof passkeys> = {
  insertPasskey: page((db) =>
    passkeys.insertPasskey(db, {
      ...{ id: randomUUID(), personId: PERSON, publicKey: SESSION, counter: 0, transports: ['usb'] },
      ...{ name: 'Laptop', challengedAt: new Date() },
    }),
  ),
  listPasskeys: page((db) => passkeys.listPasskeys(db, PERSON)),
  findPasskey: page((db) => passkeys.findPasskey(db, 'passkey-1')),
  passkeysOf: page((db) => passkeys.passkeysOf(db, PERSON)),
  spendChallenge: page((db) =>
    passkeys.spendChallenge(db, 'passkey-1', { challengedAt: new Date(), counter: 1 }),
  ),
  renamePasskey: page((db) => passkeys.renamePasskey(db, PERSON, 'passkey-1', 'Phone')),
  removePasskey: page((db) => passkeys.removePasskey(db, PERSON, 'passkey-1')),
  readChallengeKey: request((db) => passkeys.readChallengeKey(db)),
};

const OF_RECOVERY_CODES: Statements<typeof recoveryCodes> = {
  replaceCodes: page((db) => recoveryCodes.replaceCodes(db, PERSON, [randomBytes(32)])),
  spendCode: page((db) => recoveryCodes.spendCode(db, PERSON, SESSION)),
  countCodes: page((db) => recoveryCodes.countCodes(db, PERSON)),
  endCodes: page((db) => recoveryCodes.endCodes(db, PERSON)),
};

const OF_BROWSERS: Statements<typeof browsers> = {
  isKnownBrowser: request((db) => browsers.isKnownBrowser(db, PERSON, SESSION)),
  rememberBrowser: page((db) =>
    browsers.rememberBrowser(db, { id: SESSION, personId: PERSON, userAgent: null, network: null }),
  ),
  forgetBrowser: page((db) => browsers.forgetBrowser(db, PERSON, SESSION)),
  forgetBrowsersOf: page((db) => browsers.forgetBrowsersOf(db, PERSON)),
  listBrowsersWithoutSession: page((db) => browsers.listBrowsersWithoutSession(db, PERSON)),
  forgetUnusedBrowsers: housekeeping((db) => browsers.forgetUnusedBrowsers(db)),
};

const OF_PERSON_EVENTS: Statements<typeof personEvents> = {
  insertPersonEvent: page((db) =>
    personEvents.insertPersonEvent(db, {
      ...{
        personId: PERSON,
        event: 'password.changed',
        subject: null,
        actorKind: 'operator',
        actorName: null,
      },
    }),
  ),
  listNews: page((db) => personEvents.listNews(db, SESSION, 20)),
  dismissNews: page((db) => personEvents.dismissNews(db, SESSION)),
  listPersonEvents: page((db) => personEvents.listPersonEvents(db, PERSON, 20)),
  forgetPersonEvents: housekeeping((db) => personEvents.forgetPersonEvents(db, 86_400)),
};

const OF_GUESSES: Statements<typeof guesses> = {
  lockGuesses: request((db) => guesses.lockGuesses(db, GUESS)),
  addGuess: request((db) => guesses.addGuess(db, GUESS)),
  beginPause: request((db) => guesses.beginPause(db, GUESS, 30)),
  isPausedByItself: request((db) => guesses.isPausedByItself(db, GUESS, RULE)),
  countGuess: request((db) => guesses.countGuess(db, GUESS, RULE)),
  takeBackGuess: request((db) => guesses.takeBackGuess(db, GUESS)),
  forgetGuessesAt: request((db) => guesses.forgetGuessesAt(db, GUESS)),
  forgetOldGuesses: housekeeping((db) => guesses.forgetOldGuesses(db)),
};

const OF_AUDIT: Statements<typeof audit> = {
  recordAuditEvent: page((db) =>
    audit.recordAuditEvent(db, {
      ...{ accountId: OWNER, actor: { kind: 'owner', name: 'owner@shop.example' }, action: 'key.change' },
      subject: { id: KEY, name: 'Key' },
    }),
  ),
  countFreeSamples: page((db) => audit.countFreeSamples(db, OWNER)),
  readAudit: [
    page((db) => audit.readAudit(db, OWNER, { limit: 51 })),
    page((db) => audit.readAudit(db, OWNER, { limit: 51, kinds: ['app'] }), 'of a rare kind'),
    page(
      (db) => audit.readAudit(db, OWNER, { limit: 51, kinds: ['address'] }),
      'of a kind that there is none of',
    ),
  ],
  replaceSubjectName: page((db) =>
    audit.replaceSubjectName(db, {
      ...{ accountId: OWNER, id: '10', before: '"list-10.csv"', after: '"erased"' },
    }),
  ),
  forgetAudit: housekeeping((db) => audit.forgetAudit(db, 300 * 86_400)),
  forgetAuditOf: housekeeping((db) => audit.forgetAuditOf(db, OWNER)),
};

const OF_CREDITS: Statements<typeof credits> = {
  changeCredits: request((db) =>
    credits.changeCredits(db, OWNER, { amount: -5, why: 'batch', of: batchId('new') }),
  ),
  readLedger: operator((db) => credits.readLedger(db, OWNER, 10)),
  isRefunded: request((db) => credits.isRefunded(db, OWNER, randomUUID())),
  balanceOf: request((db) => credits.balanceOf(db, OWNER)),
  lockCredits: request((db) => credits.lockCredits(db, OWNER)),
  isLocked: request((db) => credits.isLocked(db, OWNER)),
  forgetLedgerOf: housekeeping((db) => credits.forgetLedgerOf(db, OWNER)),
  takeReference: operator((db) =>
    credits.takeReference(db, { reference: 'reference 1', accountId: OWNER, amount: 5 }),
  ),
};

/** Payments of different accounts, each of which has one open. */
const WAITING = { id: paymentId('open 1'), account: accountId(1), tries: 3 };
const TRIED = { id: paymentId('tried 2'), account: accountId(2), tries: 3 };
const NEEDED = { needed: 2_000_000_000_000, perDay: 20 };

const OF_PAYMENTS: Statements<typeof payments> = {
  openPayment: [
    request((db) => payments.openPayment(db, ME, { id: 'new', accountId: OWNER, ...NEEDED })),
    request(
      (db) => payments.openPayment(db, ME, { id: 'new', accountId: OTHER, ...NEEDED }),
      'of an account without one',
    ),
  ],
  lookAtPayment: request((db) => payments.lookAtPayment(db, WAITING.id)),
  claimPayments: look((db) => payments.claimPayments(db, NEW, [], 10)),
  creditPayment: look((db) => payments.creditPayment(db, TRIED, 100)),
  refusePayment: look((db) => payments.refusePayment(db, ME, TRIED, 'No card.')),
  failTry: look((db) => payments.failTry(db, ME, TRIED, 'no answer')),
  giveUpAbandoned: look((db) => payments.giveUpAbandoned(db)),
  listPayments: [
    operator((db) => payments.listPayments(db, { isOpen: false, limit: 100 })),
    operator(
      (db) => payments.listPayments(db, { accountId: OWNER, isOpen: true, limit: 100 }),
      'that are open',
    ),
  ],
  findPayment: operator((db) => payments.findPayment(db, WAITING.id)),
  findOpenPayment: page((db) => payments.findOpenPayment(db, OWNER)),
  countOpenPayments: scrape((db) => payments.countOpenPayments(db)),
  forgetPaymentsOf: housekeeping((db) => payments.forgetPaymentsOf(db, OWNER)),
};

const OF_LEDGER: Statements<typeof ledger> = {
  readCredits: [
    page((db) => ledger.readCredits(db, OWNER, 30)),
    look((db) => ledger.readCredits(db, OWNER, 7), 'of a week'),
  ],
  readDays: [
    page((db) => ledger.readDays(db, OWNER, {}, { limit: 32 })),
    page((db) => ledger.readDays(db, OWNER, { why: 'billing' }, { limit: 32 }), 'of a rare kind'),
  ],
  readMonths: page((db) => ledger.readMonths(db, OWNER)),
  readTotal: [
    page((db) => ledger.readTotal(db, OWNER, {})),
    page((db) => ledger.readTotal(db, OWNER, { month: MONTH, why: 'refund' }), 'of a month and a kind'),
  ],
  readRows: [
    page((db) => ledger.readRows(db, OWNER, {}, { limit: 51 })),
    page((db) => ledger.readRows(db, OWNER, { why: 'billing' }, { limit: 51 }), 'of a rare kind'),
    page(
      (db) => ledger.readRows(db, OWNER, { why: 'batch' }, { limit: 51 }),
      'of a kind that there is none of',
    ),
    page((db) => ledger.readRows(db, OWNER, { day: DAY }, { limit: 51 }), 'of a day'),
  ],
  readClosed: page((db) => ledger.readClosed(db, OWNER, {})),
};

const OF_KEYS: Statements<typeof keys> = {
  createKey: page((db) => keys.createKey(db, newKey())),
  importKey: operator((db) => keys.importKey(db, newKey(), `test_${randomUUID()}`)),
  listKeys: operator((db) => keys.listKeys(db, OWNER)),
  rollKey: page((db) => keys.rollKey(db, KEY, 3_600, new Date())),
  revokeKey: page((db) => keys.revokeKey(db, KEY)),
  findByDigest: request((db) => keys.findByDigest(db, sha256(KEY), new Date())),
  anyKeyTrustsHost: request((db) =>
    keys.anyKeyTrustsHost(db, ['www.shop-20.example', 'shop-20.example', 'example']),
  ),
  markUsed: look((db) => keys.markUsed(db, [{ keyId: KEY, at: 0 }], 1)),
  forgetKeysOf: housekeeping((db) => keys.forgetKeysOf(db, OWNER)),
  revokeKeysOf: operator((db) => keys.revokeKeysOf(db, OTHER)),
};
const newKey = () => ({ account_id: OWNER, kind: 'private', mode: 'test', name: 'New key' }) as never;

const OF_MANAGED_KEYS: Statements<typeof manageKeys> = {
  listOwnKeys: page((db) => manageKeys.listOwnKeys(db, OWNER)),
  forgetRevokedKeys: page((db) => manageKeys.forgetRevokedKeys(db, OWNER)),
  listActiveKeys: page((db) => manageKeys.listActiveKeys(db, OWNER)),
  findOwnKey: page((db) => manageKeys.findOwnKey(db, OWNER, keyId(1))),
  countKeys: page((db) => manageKeys.countKeys(db, OWNER)),
  listFormerValues: page((db) => manageKeys.listFormerValues(db, OWNER)),
  listKeyRefusals: [
    page((db) => manageKeys.listKeyRefusals(db, OWNER)),
    page((db) => manageKeys.listKeyRefusals(db, OWNER, KEY), 'of one key'),
  ],
  lockKey: page((db) => manageKeys.lockKey(db, { id: KEY })),
  updateKey: page((db) => manageKeys.updateKey(db, KEY, { name: 'Renamed' })),
  endFormerValues: page((db) => manageKeys.endFormerValues(db, KEY)),
};

const OF_LIMITS: Statements<typeof limits> = {
  countRequests: request((db) =>
    limits.countRequests(db, OWNER, 'verify', [{ limit: 25 }, { limit: 25, sample: 'accepted_email' }]),
  ),
  hasRoom: request((db) => limits.hasRoom(db, VISITOR, 'new@shop.example', 10)),
  takeAddress: request((db) => limits.takeAddress(db, VISITOR, 'new@shop.example', 10)),
  giveAddressBack: request((db) => limits.giveAddressBack(db, VISITOR, 'new@shop.example')),
  readSecondsToMidnight: request((db) => limits.readSecondsToMidnight(db)),
  countNetworks: request((db) =>
    limits.countNetworks(db, { name: 'unknown keys', most: 100, seconds: 60 }, [
      { network: '10.0.0.1', isCounted: true },
      { network: '10.0.0.2', isCounted: false },
    ]),
  ),
  forgetNetworkCounts: housekeeping((db) => limits.forgetNetworkCounts(db)),
  forgetVisitors: housekeeping((db) => limits.forgetVisitors(db)),
  forgetVisitorsOf: housekeeping((db) => limits.forgetVisitorsOf(db, OWNER)),
  forgetRatesOf: housekeeping((db) => limits.forgetRatesOf(db, OWNER)),
};

const OF_USAGE: Statements<typeof usage> = {
  addSamples: request((db) => usage.addSamples(db, [{ accountId: OWNER, reason: 'accepted_email' }])),
  addRefusals: look((db) =>
    usage.addRefusals(
      db,
      [{ keyId: KEY, reason: 'origin', seenFrom: 'https://new.example', count: 1, first: 0, last: 0 }],
      1_000,
    ),
  ),
  forgetRefusals: housekeeping((db) => usage.forgetRefusals(db)),
  forgetDailyResults: housekeeping((db) => usage.forgetDailyResults(db)),
  takeOverCounts: housekeeping((db) => usage.takeOverCounts(db, SOME)),
  forgetOrphans: housekeeping(async (db, quietly) => {
    const next = await quietly(() => books.nextAccounts(db, OTHER, 100));
    await usage.forgetOrphans(db, OTHER, next.at(-1)?.id);
  }),
  readDailyCounts: page((db) => usage.readDailyCounts(db, OWNER, { mode: 'live', days: 30 })),
  readSources: page((db) => usage.readSources(db, OWNER)),
  readRefusals: page((db) => usage.readRefusals(db, OWNER, { days: 7, limit: 20 })),
  forgetDailyResultsOf: housekeeping((db) => usage.forgetDailyResultsOf(db, OWNER)),
  forgetRefusalsOf: housekeeping((db) => usage.forgetRefusalsOf(db, OWNER)),
};

/** An audit reads all rows of some accounts, a part at a time. */
const SOME = [OTHER, accountId(12)];

const OF_BOOKS: Statements<typeof books> = {
  inSnapshot: housekeeping((db) => books.inSnapshot(db, async () => {})),
  nextAccounts: housekeeping((db) => books.nextAccounts(db, OTHER, 100)),
  sumLedger: housekeeping((db) => books.sumLedger(db, OWNER, 0, 50_000)),
  compareLedger: housekeeping((db) => books.compareLedger(db, SOME, books.ledgerOf(SOME))),
  compareRefunds: housekeeping((db) => books.compareRefunds(db, SOME)),
  comparePayments: housekeeping((db) => books.comparePayments(db, SOME)),
  compareCallbacks: housekeeping((db) => books.compareCallbacks(db, SOME)),
  compareStorage: housekeeping((db) => books.compareStorage(db, SOME)),
  largeBatches: housekeeping((db) => books.largeBatches(db, SOME, 50_000)),
  sumRows: housekeeping((db) => books.sumRows(db, SEARCHED, 0, 50_000)),
  compareBatches: housekeeping((db) => books.compareBatches(db, SOME, [])),
  compareResults: housekeeping((db) => books.compareResults(db, SOME)),
};

const OF_NIGHTS: Statements<typeof nights> = {
  scheduleAudit: housekeeping((db) => nights.scheduleAudit(db)),
  takeTurn: housekeeping((db) => nights.takeTurn(db)),
  endTurn: housekeeping(async (db, quietly) => {
    await quietly(() => nights.scheduleAudit(db));
    await nights.endTurn(db, OTHER, []);
  }),
  readAudit: scrape((db) => nights.readAudit(db)),
};

const OF_IDEMPOTENCY: Statements<typeof idempotency> = {
  takeKey: [
    request((db) => idempotency.takeKey(db, NEW_KEYED, ME)),
    request((db) => idempotency.takeKey(db, KEYED, ME), 'that is taken'),
  ],
  storeResponse: request(async (db, quietly) => {
    await quietly(() => idempotency.takeKey(db, NEW_KEYED, ME));
    await idempotency.storeResponse(db, NEW_KEYED, ME, { status: 200, body: '{}' });
  }),
  freeKey: request(async (db, quietly) => {
    await quietly(() => idempotency.takeKey(db, NEW_KEYED, ME));
    await idempotency.freeKey(db, NEW_KEYED, ME);
  }),
  findResponses: page((db) => idempotency.findResponses(db, OWNER, ['person-10@shop.example'])),
  replaceResponses: page((db) =>
    idempotency.replaceResponses(db, OWNER, [{ ...KEYED, created_at: new Date(), body: '' }]),
  ),
  // The account has a thousand more.
  trimTestResponses: request((db) => idempotency.trimTestResponses(db, OWNER, 9_000)),
  forgetResponses: housekeeping((db) => idempotency.forgetResponses(db)),
  forgetResponsesOf: housekeeping((db) => idempotency.forgetResponsesOf(db, OWNER)),
};

const OF_SUSPECTS: Statements<typeof suspects> = {
  mayTakeTurn: [
    look((db) => suspects.mayTakeTurn(db, ME, 'callbacks', IS_SUSPECT), 'for callbacks'),
    look((db) => suspects.mayTakeTurn(db, ME, 'notices', IS_SUSPECT), 'for notices'),
  ],
};

const OF_PROCESSES: Statements<typeof processes> = {
  takeLock: look((db) => processes.takeLock(db, ME)),
  releaseLock: look((db) => processes.releaseLock(db, ME)),
  endHolders: look((db) => processes.endHolders(db, ME)),
  touchProcess: look((db) => processes.touchProcess(db, ME, { host: 'bench', pid: 1 })),
  removeProcess: look((db) => processes.removeProcess(db, ME)),
  listProcesses: scrape((db) => processes.listProcesses(db)),
  forgetProcesses: housekeeping((db) => processes.forgetProcesses(db)),
};

const OF_LIVE: Statements<typeof live> = {
  coalesceCalls: [
    request((db) => live.coalesceCalls(db, OF_PROCESS).begin(beginning(OWNER)), 'begin'),
    request((db) => {
      const payer = { keyId: PUBLIC_KEY, limit: 1_000 };
      return live.coalesceCalls(db, OF_PROCESS).begin({ ...beginning(OWNER), payer });
    }, 'begin with a public key'),
    request(async (db, quietly) => {
      const begun = beginning(OWNER);
      await quietly(() => live.coalesceCalls(db, OF_PROCESS).begin(begun));
      await live.coalesceCalls(db, OF_PROCESS).finish({ id: begun.id, accountId: OWNER, ...ended });
    }, 'finish'),
  ],
  promiseResult: request((db) => live.promiseResult(db, RUNNING)),
  findRecallable: request((db) => live.findRecallable(db, OWNER, sha256('running10'))),
  lookAtVerifications: look((db) => live.lookAtVerifications(db, [RUNNING])),
  refundDead: housekeeping((db) => live.refundDead(db)),
  readRunning: scrape((db) => live.readRunning(db)),
  strayVerifications: housekeeping((db) => live.strayVerifications(db, ME, [])),
  countVerifications: page((db) => live.countVerifications(db, OWNER, [sha256('running10')])),
  forgetKept: housekeeping((db) => live.forgetKept(db)),
  forgetVerificationsOf: housekeeping((db) => live.forgetVerificationsOf(db, OWNER)),
};

const OF_RENEWALS: Statements<typeof renewals> = {
  findRenewable: request((db) => renewals.findRenewable(db, [sha256('renewable10'), sha256('new')])),
  keepRenewable: request((db) =>
    renewals.keepRenewable(
      db,
      ['renewable10', 'new'].map((name) => ({
        ...{ id: sha256(name), account_id: OWNER, question: sha256('question'), outcome: sha256('outcome') },
      })),
      3_600,
    ),
  ),
  countRenewable: page((db) => renewals.countRenewable(db, OWNER, [sha256('question10')])),
  eraseRenewable: page((db) => renewals.eraseRenewable(db, OWNER, [sha256('question10')])),
  forgetRenewable: housekeeping((db) => renewals.forgetRenewable(db)),
  forgetRenewableOf: housekeeping((db) => renewals.forgetRenewableOf(db, OWNER)),
};

const PAIR = makeKeyPair();

const OF_PROOF_KEYS: Statements<typeof proofKeys> = {
  readProofKeys: look((db) => proofKeys.readProofKeys(db)),
  insertProofKey: operator((db) =>
    proofKeys.insertProofKey(db, PAIR, { inSeconds: 3_600, proofSeconds: 600 }),
  ),
  lengthenProofs: look((db) => proofKeys.lengthenProofs(db, 600)),
  deleteOtherProofKeys: operator((db) => proofKeys.deleteOtherProofKeys(db, PAIR.kid)),
  forgetProofKeys: housekeeping((db) => proofKeys.forgetProofKeys(db)),
};

const OF_PACING: Statements<typeof pacing> = {
  paceAll: look((db) =>
    pacing.paceAll(db, ME, [
      {
        ...{ organisation: 'mx-2.example', limits: { connections: 2, perMinute: 60 }, inBackground: true },
        ...{ ids: [randomUUID()], waitedMs: [0], endings: [] },
      },
    ]),
  ),
  conversationsOf: housekeeping((db) => pacing.conversationsOf(db, ME)),
  readConversations: operator((db) => pacing.readConversations(db)),
  removeConversations: look((db) => pacing.removeConversations(db, [uuidOf('conversation 1')])),
  createForgetPaces: housekeeping((db) => pacing.createForgetPaces(db)()),
  readPauses: page((db) => pacing.readPauses(db)),
};

const CLAIM = uuidOf('claim of a fact');
const FACT = { acceptsAll: true, server: 'mx.example', code: 250 };
/** A domain of which nothing is known. */
const NEW_DOMAIN = { name: 'new.example', organisation: 'mx-2.example' };

const OF_DOMAINS: Statements<typeof domains> = {
  readFacts: request((db) => domains.readFacts(db, ['company-1.example', 'company-2.example'])),
  claimFact: request((db) => domains.claimFact(db, ME, CLAIM, NEW_DOMAIN)),
  storeAnswer: request(async (db, quietly) => {
    await quietly(() => domains.claimFact(db, ME, CLAIM, NEW_DOMAIN));
    await domains.storeAnswer(db, NEW_DOMAIN.name, CLAIM, FACT);
  }),
  dropClaim: request(async (db, quietly) => {
    await quietly(() => domains.claimFact(db, ME, CLAIM, NEW_DOMAIN));
    await domains.dropClaim(db, NEW_DOMAIN.name, CLAIM);
  }),
  forgetFact: operator((db) => domains.forgetFact(db, 'company-1.example')),
  forgetFacts: housekeeping((db) => domains.forgetFacts(db)),
};

const OF_BATCHES: Statements<typeof batches> = {
  insertBatch: request((db) => batches.insertBatch(db, newBatch(batchId('new')))),
  storeResults: look((db) => batches.storeResults(db, SAMPLES, [{ place: 15, result: result(15) }])),
  lockOwner: look((db) => batches.lockOwner(db, OPEN)),
  holdOwner: page((db) => batches.holdOwner(db, OPEN)),
  countPoison: look((db) => batches.countPoison(db, OPEN, { unexpected_error: 1 })),
  holdRetention: request((db) => batches.holdRetention(db, OWNER)),
  completeBatch: look(async (db, quietly) => {
    await quietly(() => finishAll(db, SAMPLES));
    await batches.completeBatch(db, SAMPLES, DEFAULT_DURATIONS);
  }),
  previewShortening: page((db) => batches.previewShortening(db, OWNER, 86_400)),
  shortenRetention: page((db) => batches.shortenRetention(db, OWNER, 86_400)),
  findBatch: request((db) => batches.findBatch(db, OWNER, OPEN)),
  readProgress: request((db) => batches.readProgress(db, OPEN)),
  readResults: request((db) => batches.readResults(db, KEPT)),
  lockOpenRows: look((db) => batches.lockOpenRows(db, SAMPLES, 10)),
  forgetResults: [
    housekeeping((db) => batches.forgetResults(db)),
    housekeeping(async (db, quietly) => {
      await quietly(() => expire(db, KEPT));
      await batches.forgetResults(db);
    }, 'of one batch'),
  ],
  forgetProgress: housekeeping(async (db, quietly) => {
    await quietly(() => completeNow(db));
    await batches.forgetProgress(db);
  }),
  completeEarly: page(async (db, quietly) => {
    await quietly(() => manage.endClaims(db, [OPEN]));
    await batches.completeEarly(db, OPEN, DEFAULT_DURATIONS);
  }),
  forgetDeleted: housekeeping((db) => batches.forgetDeleted(db)),
  forgetSamples: housekeeping((db) => batches.forgetSamples(db)),
};

const OF_CLAIMS: Statements<typeof claims> = {
  claimRows: [
    look((db) => claims.claimRows(db, NEW, [{ id: OPEN, most: 2 }])),
    look(
      (db) =>
        claims.claimRows(
          db,
          NEW,
          SHARERS.map((number) => ({ id: batchId(`shared ${number}`), most: 1 })),
        ),
      'for 10 accounts',
    ),
  ],
  finishRows: look(async (db, quietly) => {
    const [row] = await quietly(() => claims.claimRows(db, NEW, [{ id: OPEN, most: 1 }]));
    await claims.finishRows(db, NEW, [{ row: row!, result: result(row!.place) }]);
  }),
  beginRows: look(async (db, quietly) => {
    const claimed = await quietly(() => claims.claimRows(db, NEW, [{ id: OPEN, most: 2 }]));
    await claims.beginRows(db, NEW, claimed);
  }),
  claimSuspects: look((db) => claims.claimSuspects(db, NEW, 'suspect', 1)),
  makeReady: look((db) => claims.makeReady(db)),
  mayVerifySuspects: look((db) => claims.mayVerifySuspects(db, ME)),
  releaseRows: look((db) => claims.releaseRows(db, NEW, [])),
  closedBatches: [
    look((db) => claims.closedBatches(db, [OPEN, KEPT])),
    look(
      (db) =>
        claims.closedBatches(
          db,
          SHARERS.map((number) => batchId(`shared ${number}`)),
        ),
      'for 10 accounts',
    ),
  ],
  completeLiveBatch: look(async (db, quietly) => {
    await quietly(() => finishAll(db, OPEN));
    await claims.completeLiveBatch(db, OPEN, { durations: DEFAULT_DURATIONS, refundUnknown: true });
  }),
};

const OF_TURNS: Statements<typeof turns> = {
  waitingAccounts: look((db) => turns.waitingAccounts(db, 'live', 400)),
  nextBatches: look((db) => turns.nextBatches(db, 'live', [{ accountId: OWNER, most: 400, batches: 40 }])),
  endTurns: [
    look((db) => turns.endTurns(db, 'live', [OWNER], [OPEN])),
    look(
      (db) =>
        turns.endTurns(
          db,
          'live',
          SHARERS.map(accountId),
          SHARERS.map((number) => batchId(`shared ${number}`)),
        ),
      'for 10 accounts',
    ),
  ],
  doneBatches: look((db) => turns.doneBatches(db, 'live')),
  leaveQueue: page((db) => turns.leaveQueue(db, [OPEN])),
};

const OF_CALLBACKS: Statements<typeof callbacks> = {
  insertCallback: look((db) => callbacks.insertCallback(db, OPEN)),
  claimCallbacks: look((db) => callbacks.claimCallbacks(db, NEW, CAPACITY)),
  claimSuspectCallback: look((db) => callbacks.claimSuspectCallback(db, NEW)),
  endTry: look(async (db, quietly) => {
    const [claimed] = await quietly(() => callbacks.claimCallbacks(db, NEW, CAPACITY));
    const end = { status: 500, error: 'The receiver answered with 500.', isCutOff: false, durationMs: 10 };
    await callbacks.endTry(db, NEW, claimed!, end, SCHEDULE);
  }),
  takeOverCallbacks: look((db) => callbacks.takeOverCallbacks(db)),
  releaseCallbacks: look((db) => callbacks.releaseCallbacks(db, ME, [])),
  giveUpLate: look((db) => callbacks.giveUpLate(db, SCHEDULE)),
  sendAgain: page((db) => callbacks.sendAgain(db, GIVEN_UP)),
  readCallback: page((db) => callbacks.readCallback(db, OWNER, GIVEN_UP)),
  countCallbacks: scrape((db) => callbacks.countCallbacks(db)),
  deleteCallbacks: page((db) => callbacks.deleteCallbacks(db, [GIVEN_UP])),
  forgetTries: housekeeping((db) => callbacks.forgetTries(db)),
};

const OF_NOTICES: Statements<typeof notices> = {
  setNoticeUrl: page((db) => notices.setNoticeUrl(db, OWNER, 'https://shop.example/other')),
  removeNoticeUrl: page((db) => notices.removeNoticeUrl(db, OWNER)),
  readNotice: page((db) => notices.readNotice(db, OWNER)),
  holdDueLook: look((db) => notices.holdDueLook(db)),
  endLook: [
    look((db) => notices.endLook(db, OWNER)),
    look((db) => notices.endLook(db, OWNER, { available: 1, needed: 2, daysLeft: 1 }), 'with a notice'),
  ],
  claimNotices: look((db) => notices.claimNotices(db, NEW, CAPACITY)),
  claimSuspectNotice: look((db) => notices.claimSuspectNotice(db, NEW)),
  endNoticeTry: look(async (db, quietly) => {
    const [claimed] = await quietly(() => notices.claimNotices(db, NEW, CAPACITY));
    const end = { status: 500, error: 'The receiver answered with 500.', isCutOff: false, durationMs: 10 };
    await notices.endNoticeTry(db, NEW, claimed!, end, SCHEDULE);
  }),
  takeOverNotices: look((db) => notices.takeOverNotices(db)),
  releaseNotices: look((db) => notices.releaseNotices(db, ME, [])),
  giveUpLateNotices: look((db) => notices.giveUpLateNotices(db, SCHEDULE)),
};

const OF_DOWNLOADS: Statements<typeof downloads> = {
  findDownload: request((db) => downloads.findDownload(db, 'd'.repeat(43))),
  readPage: page((db) => downloads.readPage(db, SEARCHED, 0, SIZE)),
};

const OF_EXPORTS: Statements<typeof exported> = {
  findExportable: page((db) => exported.findExportable(db, OWNER, SEARCHED)),
  isKept: page((db) => exported.isKept(db, SEARCHED)),
  readListPage: page((db) => exported.readListPage(db, SEARCHED, LIST, NO_FILTER, 0, SIZE)),
  readResultPage: page((db) =>
    exported.readResultPage(db, { id: SEARCHED, is_open: false }, NO_FILTER, 0, SIZE),
  ),
  readSeveralPage: page((db) => exported.readSeveralPage(db, SEARCHED, LIST, NO_FILTER, 0, SIZE)),
};

const OF_MANAGED_BATCHES: Statements<typeof manage> = {
  findMaker: page((db) => manage.findMaker(db, OWNER, OPEN)),
  lockBatch: page((db) => manage.lockBatch(db, OWNER, OPEN)),
  setName: page((db) => manage.setName(db, OPEN, 'Spring')),
  setPaused: page((db) => manage.setPaused(db, OPEN, true)),
  lockAccount: operator((db) => manage.lockAccount(db, OTHER)),
  holdPausedFor: housekeeping((db) => manage.holdPausedFor(db, 30 * 86_400)),
  endClaims: page((db) => manage.endClaims(db, [OPEN])),
  countUnverified: page((db) => manage.countUnverified(db, OPEN, 20)),
  disown: page((db) => manage.disown(db, [OPEN])),
  disownOpen: operator((db) => manage.disownOpen(db, OTHER)),
  disownSome: housekeeping((db) => manage.disownSome(db, OWNER)),
};

const OF_OVERVIEW: Statements<typeof overview> = {
  listBatches: [
    page((db) => overview.listBatches(db, { accountId: OWNER, isOpen: false, limit: 26 })),
    page(
      (db) =>
        overview.listBatches(db, {
          accountId: OWNER,
          isOpen: false,
          before: batchId('emptied 30'),
          limit: 26,
        }),
      'deep in the list',
    ),
    page(
      (db) => overview.listBatches(db, { accountId: OTHER, isOpen: false, limit: 26 }),
      'of a small account',
    ),
    page(
      (db) =>
        overview.listBatches(db, {
          ...{
            accountId: OWNER,
            isOpen: false,
            search: 'nothing',
            state: 'paused',
            order: 'name',
            limit: 26,
          },
        }),
      'that are looked for',
    ),
    operator((db) => overview.listBatches(db, { isOpen: false, limit: 100 }), 'of all accounts'),
    operator(
      (db) => overview.listBatches(db, { isOpen: true, limit: 100 }),
      'that are open, of all accounts',
    ),
  ],
  findDetails: page((db) => overview.findDetails(db, OPEN, OWNER)),
  readOpenAddresses: page((db) => overview.readOpenAddresses(db, OPEN)),
  readQueues: operator((db) => overview.readQueues(db)),
  readClaims: operator((db) => overview.readClaims(db)),
  readDueRetention: operator((db) => overview.readDueRetention(db)),
  readUnexpected: operator((db) => overview.readUnexpected(db)),
  readQueueSizes: scrape((db) => overview.readQueueSizes(db)),
  readQueueWaits: scrape((db) => overview.readQueueWaits(db)),
};

const OF_PACE: Statements<typeof pace> = {
  noteMarks: housekeeping((db) => pace.noteMarks(db)),
  readRecentProgress: page((db) => pace.readRecentProgress(db, OPEN)),
  forgetMarks: housekeeping((db) => pace.forgetMarks(db)),
};

const OF_RESULTS: Statements<typeof results> = {
  readSlice: page((db) => results.readSlice(db, SEARCHED, SLICE)),
  readResultFacts: page((db) => results.readResultFacts(db, SEARCHED)),
  searchResults: page((db) =>
    results.searchResults(db, SEARCHED, { states: [], search: 'person-1' }, 'score', SLICE),
  ),
};

const OF_STORAGE: Statements<typeof storage> = {
  readStorage: page((db) => storage.readStorage(db, OWNER, 'live')),
  takeStorage: request(async (db, quietly) => {
    const id = batchId('new');
    await quietly(() => batches.insertBatch(db, newBatch(id)));
    await storage.takeStorage(db, { id, accountId: OWNER, mode: 'live', entries: 10 });
  }),
};

const OF_NAMES: Statements<typeof names> = {
  candidateNames: page((db) => names.candidateNames(db, OWNER, ['person-10@shop.example'])),
  candidateUrls: page((db) => names.candidateUrls(db, OWNER, ['person-10@shop.example'])),
  replaceNames: page((db) =>
    names.replaceNames(db, OWNER, [{ of: 'batch', id: KEPT, name: '"list-10.csv"' }], {
      ...{ ascii: [], is: () => false, isIn: () => true, replaceInName: () => 'erased' },
    } as never),
  ),
};

const OF_STORED: Statements<typeof stored> = {
  searchedBatches: page((db) => stored.searchedBatches(db, OWNER)),
  candidateRows: page((db) =>
    collect(stored.candidateRows(db, { id: SEARCHED, distinct_total: 1_000 }, ['person-1@'])),
  ),
  searchedLists: page((db) => stored.searchedLists(db, OWNER)),
  candidateListRows: page((db) =>
    collect(stored.candidateListRows(db, { id: LIST, last_number: 999 }, ['person-1@'], [1])),
  ),
  replaceRows: page((db) =>
    stored.replaceRows(db, SEARCHED, [{ place: 1, address: null, result: result(1) }]),
  ),
};

const OF_WAITING: Statements<typeof waiting> = {
  readOpenDomains: page((db) => waiting.readOpenDomains(db, OPEN, true)),
  readKnownServers: page((db) => waiting.readKnownServers(db, OPEN, ['shop-1.example'])),
  areOthersOpen: page((db) => waiting.areOthersOpen(db, OPEN)),
};

const OF_ALERTS: Statements<typeof alerts> = {
  readOpenBatches: page((db) => alerts.readOpenBatches(db, OWNER, 5)),
  readPausedBatches: page((db) => alerts.readPausedBatches(db, OWNER, 3)),
  hasBatches: page((db) => alerts.hasBatches(db, OWNER)),
  readTroubledCallbacks: page((db) => alerts.readTroubledCallbacks(db, OWNER, 20)),
};

const OF_LISTS: Statements<typeof lists> = {
  insertDrafts: page((db) =>
    lists.insertDrafts(
      db,
      { accountId: OWNER, madeBy: PERSON, name: 'new.csv', facts: FACTS, keptSeconds: 86_400 },
      portions(),
    ),
  ),
  findList: page((db) => lists.findList(db, OWNER, DRAFT)),
  countLists: operator((db) => lists.countLists(db)),
  draftsOf: page((db) => lists.draftsOf(db, OWNER)),
  sheetsOf: page((db) => lists.sheetsOf(db, OWNER, { id: DRAFT, upload_id: DRAFT })),
  draftIdsOf: page((db) => lists.draftIdsOf(db, OWNER)),
  forgetFile: page((db) => lists.forgetFile(db, DRAFT)),
  forgetGuessedFiles: page((db) => lists.forgetGuessedFiles(db, [DRAFT])),
  storeTitlesOfOld: page(async (db) => {
    const draft = (await lists.findList(db, OWNER, DRAFT))!;
    await lists.storeTitlesOfOld(db, { ...draft, header: ['Email'], findings: { addresses: [1] } });
  }),
  readLimits: page((db) => lists.readLimits(db, OWNER)),
  readColumns: page((db) => lists.readColumns(db, LIST, [1], { after: 100, limit: 1_000 })),
  readFirstRows: page((db) => lists.readFirstRows(db, LIST, 10)),
  readLeftOut: page((db) => lists.readLeftOut(db, SEARCHED)),
  readRowNumbers: page((db) => lists.readRowNumbers(db, SEARCHED, [1, 2, 3])),
  deleteDraft: page((db) => lists.deleteDraft(db, OWNER, { id: DRAFT, upload_id: DRAFT })),
  lockList: page((db) => lists.lockList(db, OWNER, { id: DRAFT, upload_id: DRAFT })),
  attachBatch: page((db) =>
    lists.attachBatch(
      db,
      { id: DRAFT, upload_id: DRAFT, findings: { addresses: [] } },
      {
        ...{ batchId: OPEN, name: 'new.csv', columns: [1], header: null, titles: null, rows: 2 },
        ...{ numbers: [0, 1], places: [0, 1], several: undefined, blank: 0 },
      },
    ),
  ),
  setSample: page((db) => lists.setSample(db, DRAFT, KEPT)),
  readPieceOf: page((db) => lists.readPieceOf(db, DRAFT, 0)),
  readFileOf: page(async (db) => {
    for await (const _piece of lists.readFileOf(db, DRAFT));
  }),
  keptWorkbooks: page((db) => lists.keptWorkbooks(db, OWNER)),
  forgetRows: housekeeping((db) => lists.forgetRows(db)),
  emptyListRows: page((db) => lists.emptyListRows(db, LIST, [1, 2])),
  replaceInList: page((db) =>
    lists.replaceInList('name')(db, {
      accountId: OWNER,
      id: LIST,
      before: '"searched.csv"',
      after: '"erased"',
    }),
  ),
  disownListsOf: page((db) => lists.disownListsOf(db, [KEPT])),
  disownDrafts: operator((db) => lists.disownDrafts(db, OTHER)),
};
async function* portions() {
  const json = '[["Name","Email"],["Person","person@shop.example"]]';
  yield { table: 0, from: 0, json, numbers: null, fileRows: [], hidden: [], isLast: true };
}

const OF_APPS: Statements<typeof apps> = {
  insertApp: page((db) =>
    apps.insertApp(db, {
      ...{ client_id: `app_${md5('new').slice(0, 24)}`, account_id: OWNER, name: 'New', secret: null },
      ...{ allows_device: true, redirect_uris: ['https://new.example/'] },
    }),
  ),
  addRedirectUris: page((db) => apps.addRedirectUris(db, APP, ['https://new.example/'])),
  findApp: request((db) => apps.findApp(db, APP)),
  listApps: page((db) => apps.listApps(db, OWNER)),
  deleteApp: operator((db) => apps.deleteApp(db, clientId(2))),
  forgetAppsOf: housekeeping(async (db, quietly) => {
    // The tokens of an app go before it.
    await quietly(async () => {
      while (await tokens.forgetTokensOf(db, OWNER));
    });
    await apps.forgetAppsOf(db, OWNER);
  }),
};

const OF_MANAGED_APPS: Statements<typeof manageApps> = {
  lockApp: page((db) => manageApps.lockApp(db, { clientId: APP })),
  updateApp: page((db) =>
    manageApps.updateApp(db, APP, {
      name: 'New',
      redirectUris: ['https://app.example/1'],
      allowsDevice: true,
    }),
  ),
  replaceSecret: page((db) => manageApps.replaceSecret(db, APP, randomBytes(32), 3_600)),
  endFormerSecret: page((db) => manageApps.endFormerSecret(db, APP)),
  countApps: page((db) => manageApps.countApps(db, OWNER)),
};

const OF_DEVICES: Statements<typeof devices> = {
  insertDeviceRequest: request((db) => devices.insertDeviceRequest(db, newDevice())),
  notePoll: request(async (db, quietly) => {
    const device = newDevice();
    await quietly(() => devices.insertDeviceRequest(db, device));
    await devices.notePoll(db, device.deviceCode, APP);
  }),
  ownerOfDevice: request((db) => devices.ownerOfDevice(db, sha256('device 1'))),
  findWaitingApp: request((db) => devices.findWaitingApp(db, sha256('user 1'))),
  allowWaiting: request((db) => devices.allowWaiting(db, sha256('user 1'), MEMBER)),
  denyWaiting: request((db) => devices.denyWaiting(db, sha256('user 1'))),
  forgetDeviceRequests: housekeeping((db) => devices.forgetDeviceRequests(db)),
  forgetDeviceRequestsOf: housekeeping((db) => devices.forgetDeviceRequestsOf(db, OWNER)),
};

const OF_TOKENS: Statements<typeof tokens> = {
  insertCode: request((db) => tokens.insertCode(db, newCode(), 600)),
  ownerOfCode: request((db) => tokens.ownerOfCode(db, sha256('code 1'))),
  exchangeCode: request(async (db, quietly) => {
    const code = newCode();
    await quietly(() => tokens.insertCode(db, code, 600));
    await tokens.exchangeCode(db, code, newPair());
  }),
  exchangeDevice: request(async (db, quietly) => {
    const device = newDevice();
    await quietly(() => devices.insertDeviceRequest(db, device));
    await quietly(() => devices.allowWaiting(db, device.userCode, MEMBER));
    await tokens.exchangeDevice(db, { deviceCode: device.deviceCode, clientId: APP }, newPair());
  }),
  revokeFamilyOfCode: request((db) => tokens.revokeFamilyOfCode(db, sha256('spent 1'), APP)),
  rotate: request((db) => {
    const pair = newPair();
    const digests = { ...pair.digests, handle: sha256('handle 1') };
    return tokens.rotate(db, { refreshToken: sha256('refresh 1'), clientId: APP }, { ...pair, digests });
  }),
  revokeFamily: request((db) => tokens.revokeFamily(db, sha256('handle 1'), APP)),
  revokeByAccessToken: request((db) => tokens.revokeByAccessToken(db, sha256('access 1'), APP)),
  findTokenOwner: request((db) => tokens.findTokenOwner(db, sha256('access 1'))),
  revokeGrantedApp: page((db) => tokens.revokeGrantedApp(db, OTHER, APP)),
  forgetTokens: housekeeping((db) => tokens.forgetTokens(db)),
  forgetTokensOfApp: page((db) => tokens.forgetTokensOfApp(db, APP)),
  forgetCodes: housekeeping((db) => tokens.forgetCodes(db)),
  forgetCodesOf: housekeeping((db) => tokens.forgetCodesOf(db, OWNER)),
  forgetTokensOf: housekeeping((db) => tokens.forgetTokensOf(db, OWNER)),
};

const OF_GRANTS: Statements<typeof grants> = {
  listGrantedApps: page((db) => grants.listGrantedApps(db, OWNER)),
  listAuthorisations: page((db) => grants.listAuthorisations(db, APP)),
};

const OF_CLOSING: Statements<typeof closing> = {
  closeLedger: housekeeping((db) => closing.closeLedger(db, 300 * 86_400)),
};

const OF_DELETION: Statements<typeof deletion> = {
  readLeft: operator((db) => deletion.readLeft(db, OTHER)),
};

const OF_STATISTICS: Statements<typeof statistics> = {
  renewStatistics: housekeeping((db) => statistics.renewStatistics(db)),
};

const OF_METRICS: Statements<typeof metrics> = {
  readWithin: scrape((db) => metrics.readWithin(db, 1_000, async () => {})),
};

/** By the path of the store and the name of the function. */
export const STATEMENTS: Readonly<Record<string, Readonly<Record<string, Call | readonly Call[]>>>> = {
  'audit/audit-store.ts': OF_AUDIT,
  'batch/alerts/alert-store.ts': OF_ALERTS,
  'batch/batch-store.ts': OF_BATCHES,
  'batch/callbacks/callback-store.ts': OF_CALLBACKS,
  'batch/download/download-store.ts': OF_DOWNLOADS,
  'batch/export/export-store.ts': OF_EXPORTS,
  'batch/live/claim-store.ts': OF_CLAIMS,
  'batch/turns/turn-store.ts': OF_TURNS,
  'batch/manage/manage-batches-store.ts': OF_MANAGED_BATCHES,
  'batch/overview/batch-overview-store.ts': OF_OVERVIEW,
  'batch/pace/pace-store.ts': OF_PACE,
  'batch/results/result-store.ts': OF_RESULTS,
  'batch/storage/storage-store.ts': OF_STORAGE,
  'batch/stored-address/name-store.ts': OF_NAMES,
  'batch/stored-address/stored-address-store.ts': OF_STORED,
  'batch/waiting/waiting-store.ts': OF_WAITING,
  'books/books-store.ts': OF_BOOKS,
  'books/night-store.ts': OF_NIGHTS,
  'credits/billing/payment-store.ts': OF_PAYMENTS,
  'credits/closing/closing-store.ts': OF_CLOSING,
  'credits/credit-store.ts': OF_CREDITS,
  'credits/history/ledger-store.ts': OF_LEDGER,
  'database/statistics-store.ts': OF_STATISTICS,
  'deletion/deletion-store.ts': OF_DELETION,
  'idempotency/idempotency-store.ts': OF_IDEMPOTENCY,
  // Conditions for the statements of others.
  'jobs/lease-store.ts': {},
  'jobs/process-store.ts': OF_PROCESSES,
  'jobs/suspect-store.ts': OF_SUSPECTS,
  'keys/key-store.ts': OF_KEYS,
  'keys/manage/manage-keys-store.ts': OF_MANAGED_KEYS,
  'limits/limit-store.ts': OF_LIMITS,
  'lists/list-store.ts': OF_LISTS,
  'notices/notice-store.ts': OF_NOTICES,
  'oauth/apps/app-store.ts': OF_APPS,
  'oauth/apps/manage/manage-apps-store.ts': OF_MANAGED_APPS,
  'oauth/device/device-store.ts': OF_DEVICES,
  'oauth/tokens/grant-store.ts': OF_GRANTS,
  'oauth/tokens/token-store.ts': OF_TOKENS,
  'operations/metrics/metrics-store.ts': OF_METRICS,
  'people/accounts/account-store.ts': OF_ACCOUNTS,
  'people/members/invitation-store.ts': OF_INVITATIONS,
  'people/factors/authenticator-app-store.ts': OF_FACTOR_APPS,
  'people/factors/factor-store.ts': OF_FACTORS,
  'people/factors/half-sign-in-store.ts': OF_HALF_SIGN_INS,
  'people/factors/passkey-store.ts': OF_PASSKEYS,
  'people/factors/recovery-code-store.ts': OF_RECOVERY_CODES,
  'people/members/member-store.ts': OF_MEMBERS,
  'people/persons/person-store.ts': OF_PERSONS,
  'people/sign-in/sign-in-link-store.ts': OF_SIGN_IN_LINKS,
  'people/persons/person-event-store.ts': OF_PERSON_EVENTS,
  'people/provider/provider-store.ts': OF_PROVIDER,
  'people/sessions/known-browser-store.ts': OF_BROWSERS,
  'people/sessions/session-store.ts': OF_SESSIONS,
  'people/sign-in/guess-store.ts': OF_GUESSES,
  'proof/proof-key-store.ts': OF_PROOF_KEYS,
  'usage/usage-store.ts': OF_USAGE,
  'verify/live/live-store.ts': OF_LIVE,
  'verify/domains/domain-facts-store.ts': OF_DOMAINS,
  'verify/pacing/pacing-store.ts': OF_PACING,
  'webhooks/webhook-store.ts': {},
  'verify/renewals/renewal-store.ts': OF_RENEWALS,
};
