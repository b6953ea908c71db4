import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';

const database = await testDatabase();

/** Inserts a valid row, with some columns replaced by other SQL. */
function insert(table: string, valid: Record<string, string>) {
  return (changed: Record<string, string> = {}) => {
    const row = { ...valid, ...changed };
    const columns = Object.keys(row).map((name) => `"${name}"`);
    return `insert into ${table} (${columns}) values (${Object.values(row)})`;
  };
}

const DIGEST = `sha256('x')`;
const UUID = 'gen_random_uuid()';
const PROCESS = `'00000000-0000-4000-8000-000000000001'`;
/** Of a batch or a list. */
const ID = `'0123456789abcdef01234567'`;
const OTHER_ID = `'76543210fedcba9876543210'`;
const LATER = `clock_timestamp() + interval '1 hour'`;
const SEALED = `'0123456789abcdef.x'`;

const account = insert('accounts', {
  ...{ id: `'acc_1'`, owner_email: `'Ada@example.com'` },
  ...{ email_key: `'ada@example.com'`, callback_secret: `'whsec_x'` },
});
/** Another account. */
const other = (values: Record<string, string>) => account({ id: `'acc_2'`, email_key: `'b'`, ...values });
const ledger = insert('ledger', { account_id: `'acc_1'`, amount: '5', why: `'top-up'`, balance: '5' });
const payment = insert('payments', { id: `'1'`, account: `'acc_1'`, needed: '5' });
const reference = insert('credit_references', {
  ...{ reference: `'invoice 1'`, account_id: `'acc_1'`, amount: '5' },
});
const ledgerDay = insert('ledger_days', {
  ...{ account_id: `'acc_1'`, day: `'2026-11-23'`, why: `'batch'` },
  ...{ amount: '-5', count: '1', first_id: '1', last_id: '1' },
});
const dailyResult = insert('daily_results', {
  ...{ account_id: `'acc_1'`, day: `'2026-11-23'`, source: `'verify'` },
  ...{ mode: `'live'`, reason: `'timeout'`, count: '1' },
});
const unproved = insert('unproved_results', {
  ...{ account_id: `'acc_1'`, source: `'verify'`, mode: `'test'`, count: '-1' },
});
const audit = insert('book_audit', { due_at: 'now()' });
const refusal = insert('key_refusals', {
  ...{ key_id: `'key_1'`, reason: `'ip'`, seen_from: `'::1'` },
  ...{ count: '1', first_at: 'now()', last_at: 'now()' },
});
const key = insert('keys', { id: `'key_1'`, account_id: `'acc_1'`, kind: `'private'`, mode: `'live'` });
/** A key that may spend five credits a day. */
const SPENDER = {
  ...{ id: `'key_2'`, kind: `'public'`, mode: `'live'` },
  ...{ trusted_domains: `'{shop.example}'`, daily_credits: '5' },
};
const spending = insert('key_spending', {
  ...{ key_id: `'key_1'`, account_id: `'acc_1'`, day: `'2026-11-23'`, spent: '0' },
});
const value = insert('key_values', { digest: DIGEST, key_id: `'key_1'`, last4: `'abcd'` });
const verification = insert('verifications', {
  ...{ id: UUID, account_id: `'acc_1'`, question: DIGEST },
  ...{ process_id: UUID, state: `'running'`, expires_at: 'now()' },
});
const POINT = `'${'a'.repeat(43)}'`;
const proofKey = insert('proof_keys', {
  ...{ id: POINT, x: POINT, y: POINT, private_key: `'d'` },
  ...{ proof_seconds: '600', made_at: 'now()', signs_from: 'now()' },
});
const renewable = insert('renewable_results', {
  ...{ id: DIGEST, account_id: `'acc_1'`, question: DIGEST, outcome: DIGEST, expires_at: 'now()' },
});
const rate = insert('rates', {
  ...{ account_id: `'acc_1'`, endpoint: `'verify'`, started_at: 'now()', count: '1' },
});
const visitor = insert('visitors', { key_id: `'key_1'`, day: 'now()', network: `'::1'`, addresses: `'{}'` });
const request = insert('idempotency', {
  ...{ account_id: `'acc_1'`, mode: `'live'`, route: `'/v1/verify'` },
  ...{ key: `'k'`, request: DIGEST, process_id: UUID },
});
const batch = insert('batches', {
  ...{ id: ID, account_id: `'acc_1'`, mode: `'live'`, total: '3', distinct_total: '2', retries: 'true' },
});
const NAME = `'${'aZ0_-'.repeat(8)}abc'`;
const batchRow = insert('batch_rows', { batch_id: ID, place: '0', address: `'"ada@example.com"'` });
const COMPLETED = { completed_at: 'now()', expires_at: 'now()', reason_counts: `'{}'` };
const notice = insert('notices', { account_id: `'acc_1'`, url: `'https://shop.example/'` });
const TOLD = { told_at: 'now()', available: '1', needed: '2', message_id: `'msg_1'`, due_at: 'now()' };
const callback = insert('callbacks', { batch_id: ID, message_id: `'msg_1'`, due_at: 'now()' });
const SENT = { due_at: 'null', process_id: UUID, attempt: '1', tried_at: 'now()' };
const callbackTry = insert('callback_tries', { batch_id: ID, number: '1', at: 'now()', status: '200' });
const pace = insert('paces', { organisation: `'Example'` });
const domainFact = insert('domain_facts', {
  ...{ domain: `'company.example'`, organisation: `'Example'` },
  ...{ until: 'now()', learnt_at: 'now()', server: `'mx.example'` },
});
const ASKED = { learnt_at: 'null', server: 'null', process_id: UUID, claim_id: UUID };
const conversation = insert('conversations', {
  ...{ id: UUID, organisation: `'Example'`, process_id: UUID, begun_after: '0', begun_at: 'now()' },
});
const queue = insert('conversation_queues', {
  ...{ organisation: `'Example'`, process_id: PROCESS, since: 'now()', seen_at: 'now()' },
});
const wait = insert('conversation_waits', {
  ...{ organisation: `'Example'`, process_id: PROCESS },
  ...{ since: 'now()', in_background: 'false', seen_at: 'now()' },
});
const progress = insert('batch_progress', {
  ...{ batch_id: ID, connection: '1', reason: `'accepted_email'`, count: '1', duplicates: '0' },
});

const accountTurn = insert('account_turns', { account_id: `'acc_1'`, mode: `'live'` });
const batchTurn = insert('batch_turns', { batch_id: ID, account_id: `'acc_1'`, mode: `'live'` });
const mark = insert('batch_marks', { batch_id: ID, at: 'now()', processed: '0' });

const CLIENT = `'0123456789'`;
const app = insert('apps', {
  ...{ client_id: CLIENT, account_id: `'acc_1'`, name: `'App'`, allows_device: 'true' },
});
const redirectUri = insert('app_redirect_uris', { client_id: CLIENT, uri: `'https://app.example/'` });
const code = insert('authorization_codes', {
  ...{ digest: DIGEST, client_id: CLIENT, account_id: `'acc_1'` },
  ...{ redirect_uri: `'https://app.example/'`, expires_at: 'now()' },
});
const family = insert('token_families', {
  ...{ handle: DIGEST, client_id: CLIENT, account_id: `'acc_1'` },
  ...{ refresh_token: DIGEST, access_token: DIGEST, access_expires_at: 'now()' },
});
const device = insert('device_requests', {
  ...{ device_code: DIGEST, user_code: DIGEST, client_id: CLIENT },
  ...{ interval_seconds: '5', expires_at: 'now()' },
});

const person = insert('persons', {
  ...{ id: `'per_1'`, email: `'Eve@example.com'`, email_key: `'eve@example.com'` },
});
const member = insert('members', { account_id: `'acc_1'`, person_id: `'per_1'`, role: `'viewer'` });
const authenticatorApp = insert('authenticator_apps', {
  ...{ id: `'totp_1'`, person_id: `'per_1'`, secret: `'GEZDGNBV'`, last_step: '1', confirmed_at: 'now()' },
});
const NOT_CONFIRMED = { id: `'totp_2'`, last_step: 'null', confirmed_at: 'null' };
const passkey = insert('passkeys', {
  ...{ id: `'a-B_0'`, person_id: `'per_1'`, public_key: DIGEST, counter: '0' },
  ...{ transports: `'{usb}'`, name: `'Laptop'`, challenged_at: 'now()' },
});
const recoveryCode = insert('recovery_codes', { digest: DIGEST, person_id: `'per_1'` });
const halfSignIn = insert('half_sign_ins', {
  ...{ id: DIGEST, person_id: `'per_1'`, password_digest: DIGEST },
  ...{ return_to: `'/dashboard/'`, expires_at: 'now()' },
});
const invitation = insert('invitations', {
  ...{ id: `'inv_1'`, account_id: `'acc_1'`, email: `'Guest@example.com'`, email_key: `'guest@example.com'` },
  ...{ role: `'viewer'`, digest: DIGEST, inviter_id: `'per_1'`, expires_at: LATER },
});
const signInLink = insert('sign_in_links', { person_id: `'per_1'`, digest: DIGEST, expires_at: LATER });
const identity = insert('identities', {
  ...{ issuer: `'https://login.example'`, subject: `'1'`, person_id: `'per_1'` },
});
const providerRequest = insert('provider_requests', {
  ...{ state: DIGEST, browser: DIGEST, person_id: `'per_1'`, expires_at: `now() + interval '1 minute'` },
});
const providerSession = insert('provider_sessions', {
  ...{ session_id: DIGEST, issuer: `'https://login.example'`, subject: `'1'` },
});
const logoutToken = insert('logout_tokens', { id: DIGEST, expires_at: 'now()' });
const session = insert('sessions', { id: DIGEST, account_id: `'acc_1'`, expires_at: LATER });
const knownBrowser = insert('known_browsers', { person_id: `'per_1'`, id: DIGEST });
const personEvent = insert('person_events', {
  ...{ person_id: `'per_1'`, event: `'app.added'`, actor_kind: `'operator'` },
});
const list = insert('lists', {
  ...{ id: ID, account_id: `'acc_1'`, name: `'customers.csv'` },
  ...{ columns: '2', row_count: '3', address_column: '1' },
});
const listRow = insert('list_rows', { list_id: ID, number: '0', cells: `'["Ada", "ada@example.com"]'` });
const guess = insert('guesses', { subject: DIGEST, wrong: '1' });

const FORMER = { former_callback_secret_until: 'now()' };
const ALL_SEALED = { callback_secret: 'null', sealed_callback_secret: SEALED };

/** What has to be there before the statement. */
const GROUND = [account(), key()];

/** Statements that are refused, by the SQLSTATE of the error. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // check_violation
  '23514': {
    'a negative balance': other({ available_credits: '-1' }),
    'a balance that is not exact': other({ available_credits: '9007199254740992' }),
    'a callback secret without its prefix': other({ callback_secret: `'whsecx'` }),
    'results kept for less than an hour': other({ keep_results_seconds: '3599' }),
    'a former callback secret without its prefix': other({ former_callback_secret: `'whsecx'`, ...FORMER }),
    'an account without a callback secret': other({ callback_secret: 'null' }),
    'a callback secret in clear and sealed': other({ sealed_callback_secret: SEALED }),
    'a sealed secret without the id of its key': other({ ...ALL_SEALED, sealed_callback_secret: `'x'` }),
    'a captcha secret in clear and sealed': key({
      ...{ id: `'key_2'`, captcha_provider: `'turnstile'` },
      ...{ captcha_secret: `'s'`, sealed_captcha_secret: SEALED },
    }),
    'a sealed captcha secret without a captcha': key({ id: `'key_2'`, sealed_captcha_secret: SEALED }),
    'a former callback secret without an end': other({ former_callback_secret: `'whsec_x'` }),
    'the end of no former callback secret': other(FORMER),
    'a payment for nothing': payment({ needed: '0' }),
    'an ended payment without an outcome': payment({ ended_at: 'now()' }),
    'an outcome of an open payment': payment({ outcome: `'refused'` }),
    'another outcome of a payment': payment({ outcome: `'lost'`, ended_at: 'now()' }),
    'a credited payment without credits': payment({ outcome: `'credited'`, ended_at: 'now()' }),
    'credits of a refused payment': payment({ outcome: `'refused'`, credits: '5', ended_at: 'now()' }),
    'a try of an ended payment': payment({ outcome: `'refused'`, ended_at: 'now()', process_id: UUID }),
    'a reference of no credits': reference({ amount: '0' }),
    'an empty reference': reference({ reference: `''` }),
    'a ledger row of 0 credits': ledger({ amount: '0' }),
    'a ledger row with another reason': ledger({ why: `'gift'` }),
    'a ledger row with a negative balance': ledger({ balance: '-1' }),
    'a key of another kind': key({ id: `'key_2'`, kind: `'secret'` }),
    'a limit of 0 credits a day': key({ ...SPENDER, daily_credits: '0' }),
    'a limit of credits for a private key': key({ ...SPENDER, kind: `'private'` }),
    'a limit of credits for a test key': key({ ...SPENDER, mode: `'test'` }),
    'a key that has spent less than nothing': spending({ spent: '-1' }),
    'a key of another mode': key({ id: `'key_2'`, mode: `'beta'` }),
    'a public key without a domain': key({ id: `'key_2'`, kind: `'public'` }),
    'another captcha provider': key({ id: `'key_2'`, captcha_provider: `'mine'`, captcha_secret: `'s'` }),
    'a captcha without its secret': key({ id: `'key_2'`, captcha_provider: `'turnstile'` }),
    'a captcha URL without a captcha': key({ id: `'key_2'`, siteverify_url: `'http://x'` }),
    'a digest of another length': value({ digest: `'x'` }),
    'more than four characters of a key': value({ last4: `'abcde'` }),
    'a verification in another state': verification({ state: `'done'` }),
    'a kept verification without an outcome': verification({ state: `'kept'` }),
    'a running verification with an outcome': verification({ outcome: `'{}'` }),
    'a key of proofs that is not named by a digest': proofKey({ id: `'key_1'` }),
    'a key of proofs with half a point': proofKey({ y: `'a'` }),
    'a key of proofs without its private part': proofKey({ private_key: 'null' }),
    'a key of proofs in clear and sealed': proofKey({ sealed_private_key: SEALED }),
    'a sealed key of proofs without the id of its key': proofKey({
      private_key: 'null',
      sealed_private_key: `'x'`,
    }),
    'a key of proofs that last for no time': proofKey({ proof_seconds: '0' }),
    'a key of proofs that signs before it is made': proofKey({ signs_from: `now() - interval '1 second'` }),
    'a rate of 0 requests': rate({ count: '0' }),
    'a status without a body': request({ status: '200' }),
    'a key of no mode': request({ mode: `'public'` }),
    'a key of another route': request({ route: `'/v1/account'` }),
    'an id of a batch that is not one': batch({ id: `'0123'` }),
    'a batch without addresses': batch({ total: '0', distinct_total: '0' }),
    'more distinct addresses than addresses': batch({ distinct_total: '4' }),
    'a batch that wants no field': batch({ response_fields: `'{}'` }),
    'a completed batch without its counts': batch({ ...COMPLETED, reason_counts: 'null' }),
    'a completed batch that is kept for ever': batch({ ...COMPLETED, expires_at: 'null' }),
    'a completed batch that is paused': batch({ ...COMPLETED, paused_at: 'now()' }),
    'an open batch that has been emptied': batch({ emptied_at: 'now()' }),
    'a name of a download that can be guessed': batch({ download_name: `'report'` }),
    'a reason without a result': `${batch()}; ${batchRow({ reason: `'timeout'` })}`,
    'a result without a reason': `${batch()}; ${batchRow({ result: `'{}'` })}`,
    'an address that a process has claimed and that waits': `${batch()}; ${batchRow({ process_id: UUID, due_at: 'now()' })}`,
    'an address with a result that a process has claimed': `${batch()}; ${batchRow({ process_id: UUID, reason: `'timeout'`, result: `'{}'` })}`,
    'another reason': `${batch()}; ${batchRow({ reason: `'luck'`, result: `'{}'` })}`,
    'an id of a list that is not one': list({ id: `'0123'` }),
    'a list without a name': list({ name: `''` }),
    'a list without rows': list({ row_count: '0' }),
    'a list whose address column is not there': list({ address_column: '2' }),
    'a row with a negative place': `${list()}; ${listRow({ place: '-1' })}`,
    'a notice that waits and tells nothing': notice({ due_at: 'now()' }),
    'a notice that tells and does not wait': notice({ ...TOLD, due_at: 'null' }),
    'a notice that was delivered and waits': notice({ ...TOLD, delivered_at: 'now()' }),
    'a notice without an id': notice({ ...TOLD, message_id: 'null' }),
    'a notice of enough credits': notice({ ...TOLD, needed: '1' }),
    'a notice for less than no days': notice({ ...TOLD, days_left: '-1' }),
    'a callback in no state': `${batch()}; ${callback({ due_at: 'null' })}`,
    'a callback that waits and is sent': `${batch()}; ${callback({ ...SENT, due_at: 'now()' })}`,
    'a callback that was delivered and given up': `${batch()}; ${callback({ ...SENT, process_id: 'null', delivered_at: 'now()', given_up_at: 'now()' })}`,
    'a callback that is over without a try': `${batch()}; ${callback({ due_at: 'null', given_up_at: 'now()' })}`,
    'a try without its time': `${batch()}; ${callback({ ...SENT, tried_at: 'null' })}`,
    'a 200 with an error': `${batch()}; ${callback()}; ${callbackTry({ error: `'x'` })}`,
    'another status without an error': `${batch()}; ${callback()}; ${callbackTry({ status: '204' })}`,
    'no status without an error': `${batch()}; ${callback()}; ${callbackTry({ status: 'null' })}`,
    'a second that is not counted': pace({ seconds: `'{1}'` }),
    'a pause without an end': pace({ pauses: '1' }),
    'an end without a pause': pace({ paused_until: 'now()' }),
    'a fact that is asked about and known': domainFact({ process_id: UUID, claim_id: UUID }),
    'a fact that is neither': domainFact({ learnt_at: 'null', server: 'null' }),
    'a claim on a fact without a process': domainFact({ ...ASKED, process_id: 'null' }),
    'a fact without its server': domainFact({ server: 'null' }),
    'a fact before its answer': domainFact({ ...ASKED, accepts_all: 'true' }),
    'a fact by what is no reply': domainFact({ code: '600' }),
    'progress of no address': progress({ count: '0' }),
    'progress with fewer duplicates than none': progress({ duplicates: '-1' }),
    'a turn of an account of no mode': accountTurn({ mode: `'public'` }),
    'a turn of a batch of no mode': batchTurn({ mode: `'public'` }),
    'a mark before the beginning': mark({ processed: '-1' }),
    'a client id that is not one': app({ client_id: `'012345678'` }),
    'an app without a name': app({ name: `''` }),
    'a client secret that is not a digest': app({ secret: `'secret'` }),
    'a former secret without an end': app({ secret: DIGEST, former_secret: DIGEST }),
    'a former secret of a public app': app({ former_secret: DIGEST, former_secret_until: 'now()' }),
    'a former secret that is not a digest': app({
      ...{ secret: DIGEST, former_secret: `'x'`, former_secret_until: 'now()' },
    }),
    'a code that is not a digest': `${app()}; ${redirectUri()}; ${code({ digest: `'x'` })}`,
    'a device code that is not a digest': `${app()}; ${device({ device_code: `'x'` })}`,
    'a user code that is not a digest': `${app()}; ${device({ user_code: `'WDJBMJHT'` })}`,
    'a device in another state': `${app()}; ${device({ state: `'lost'` })}`,
    'a device that nobody has allowed': `${app()}; ${device({ state: `'allowed'` })}`,
    'a device that waits and was allowed': `${app()}; ${device({ account_id: `'acc_1'` })}`,
    'an interval of 0 seconds': `${app()}; ${device({ interval_seconds: '0' })}`,
    'a person with the id of an account': person({ id: `'acc_7'` }),
    'a person with an empty password': person({ password_hash: `''` }),
    'an app without a key': `${person()}; ${authenticatorApp({ secret: 'null' })}`,
    'an app with two keys': `${person()}; ${authenticatorApp({ sealed_secret: SEALED })}`,
    'an app that counts without a code': `${person()}; ${authenticatorApp({ last_step: 'null' })}`,
    'a passkey with another id': `${person()}; ${passkey({ id: `'a+b'` })}`,
    'a passkey without a name': `${person()}; ${passkey({ name: `''` })}`,
    'a passkey with a long name': `${person()}; ${passkey({ name: `repeat('x', 61)` })}`,
    'no key of challenges': `insert into challenge_keys (id, key) values (false, ${DIGEST})`,
    'a recovery code that is not a digest': `${person()}; ${recoveryCode({ digest: `'x'` })}`,
    'half a sign-in that is not a digest': `${person()}; ${halfSignIn({ id: `'x'` })}`,
    'a known browser that is not a digest': `${person()}; ${knownBrowser({ id: `'x'` })}`,
    'a long name of a browser': `${person()}; ${knownBrowser({ user_agent: `repeat('x', 401)` })}`,
    'a long network': `${person()}; ${knownBrowser({ network: `repeat('x', 51)` })}`,
    'a change with a long name': `${person()}; ${personEvent({ event: `repeat('x', 51)` })}`,
    'a change with a long subject': `${person()}; ${personEvent({ subject: `repeat('x', 401)` })}`,
    'half a sign-in to another site': `${person()}; ${halfSignIn({ return_to: `'https://x'` })}`,
    'a member with another role': `${person()}; ${member({ role: `'boss'` })}`,
    'an invitation with another role': `${person()}; ${invitation({ role: `'boss'` })}`,
    'an invitation with the id of a person': `${person()}; ${invitation({ id: `'per_1'` })}`,
    'an invitation with a secret instead of its digest': `${person()}; ${invitation({ digest: `'x'` })}`,
    'an invitation that ends before it begins': `${person()}; ${invitation({ expires_at: 'now()' })}`,
    'a sign-in link that ends before it begins': `${person()}; ${signInLink({ expires_at: 'now()' })}`,
    'a state that is not a digest': providerRequest({ state: `'x'` }),
    'a state of a browser that is not a digest': providerRequest({ browser: `'x'` }),
    'a sign-in with fields of a form': providerRequest({ sealed: `'x'`, person_id: 'null' }),
    'a logout token that is not a digest': logoutToken({ id: `'x'` }),
    'a session that is not a digest': session({ id: `'x'` }),
    'a session that ends before it begins': session({ created_at: 'now()', expires_at: 'now()' }),
    'a long name of the browser of a session': session({ user_agent: `repeat('x', 401)` }),
    'guesses at what is not a digest': guess({ subject: `'ada@example.com'` }),
    'fewer wrong guesses than none': guess({ wrong: '-1' }),
    'a day of the ledger for another reason': ledgerDay({ why: `'gift'` }),
    'a day of the ledger without a row': ledgerDay({ count: '0' }),
    'a day of the ledger that ends before it begins': ledgerDay({ first_id: '2' }),
    'results from elsewhere': dailyResult({ source: `'widget'` }),
    'results for another reason': dailyResult({ reason: `'luck'` }),
    'fewer results than one': dailyResult({ count: '0' }),
    'fewer refunds than none': dailyResult({ refunded: '-1' }),
    'unproved results from elsewhere': unproved({ source: `'widget'` }),
    'unproved results of another mode': unproved({ mode: `'demo'` }),
    'an audit that is under way without an account': audit({ begun_at: 'now()' }),
    'an audit that has ended without differences': audit({ ended_at: 'now()' }),
    'a refusal for another reason': refusal({ reason: `'mood'` }),
    'a refusal from a place that is too long': refusal({ seen_from: `repeat('x', 256)` }),
    'a refusal that ends before it begins': refusal({ first_at: `now() + interval '1 second'` }),
    'verify_per_second 0': other({ verify_per_second: '0' }),
    'batch_per_second 0': other({ batch_per_second: '0' }),
    'account_per_second 0': other({ account_per_second: '0' }),
    'batch_size 0': other({ batch_size: '0' }),
    'a family whose handle is not a digest': `${app()}; ${family({ handle: `'x'` })}`,
    'a family whose code is not a digest': `${app()}; ${family({ code: `'x'` })}`,
    'a family whose refresh_token is not a digest': `${app()}; ${family({ refresh_token: `'x'` })}`,
    'a family whose access_token is not a digest': `${app()}; ${family({ access_token: `'x'` })}`,
  },
  // unique_violation
  '23505': {
    'a second account with the same email address': account({ id: `'acc_2'` }),
    'two counts of what a key has spent': `${spending()}; ${spending()}`,
    'two current values of a key': `${value()}; ${value({ digest: `sha256('y')` })}`,
    'one value of two keys': `${value()}; ${value({ expires_at: 'now()' })}`,
    'the same question twice': `${verification()}; ${verification()}`,
    'two keys of proofs with one name': `${proofKey()}; ${proofKey()}`,
    'one renewable result twice': `${renewable()}; ${renewable()}`,
    'two rates of one endpoint': `${rate()}; ${rate()}`,
    'two rows of one visitor and day': `${visitor()}; ${visitor()}`,
    'one idempotency key twice': `${request()}; ${request()}`,
    'two downloads with one name': `${batch({ download_name: NAME })}; ${batch({ id: OTHER_ID, download_name: NAME })}`,
    'two addresses at one place': `${batch()}; ${batchRow()}; ${batchRow()}`,
    'two lists of one batch': `${batch()}; ${list({ batch_id: ID })}; ${list({ id: OTHER_ID, batch_id: ID })}`,
    'two rows of a list with one number': `${list()}; ${listRow()}; ${listRow()}`,
    'two notices of one account': `${notice()}; ${notice()}`,
    'two callbacks of one batch': `${batch()}; ${callback()}; ${callback({ message_id: `'msg_2'` })}`,
    'two tries with one number': `${batch()}; ${callback()}; ${callbackTry()}; ${callbackTry()}`,
    'two facts of one domain': `${domainFact()}; ${domainFact()}`,
    'two counts of one connection': `${progress()}; ${progress()}`,
    'two turns of one account': `${accountTurn()}; ${accountTurn()}`,
    'two turns of one batch': `${batchTurn()}; ${batchTurn()}`,
    'two marks of one moment': `${mark()}; ${mark()}`,
    'a process that waits twice': `${queue()}; ${queue()}`,
    'two apps with one client id': `${app()}; ${app()}`,
    'one redirect URI twice': `${app()}; ${redirectUri()}; ${redirectUri()}`,
    'two families from one code': `${app()}; ${family({ code: DIGEST })}; ${family({ code: DIGEST, handle: `sha256('y')`, access_token: `sha256('y')` })}`,
    'two families with one access token': `${app()}; ${family()}; ${family({ handle: `sha256('y')` })}`,
    'two devices with one user code': `${app()}; ${device()}; ${device({ device_code: `sha256('y')` })}`,
    'two persons with one address': `${person()}; ${person({ id: `'per_2'` })}`,
    'two apps that count': `${person()}; ${authenticatorApp()}; ${authenticatorApp({ id: `'totp_2'` })}`,
    'a passkey twice': `${person()}; ${passkey()}; ${passkey()}`,
    'two keys of challenges': `insert into challenge_keys (key) values (${DIGEST}), (${DIGEST})`,
    'a known browser twice': `${person()}; ${knownBrowser()}; ${knownBrowser()}`,
    'a member twice': `${person()}; ${member()}; ${member()}`,
    'two invitations of one address into an account': `${person()}; ${invitation()}; ${invitation({ id: `'inv_2'`, digest: `sha256('y')` })}`,
    'two links of one digest': `${person()}; ${invitation()}; ${invitation({ id: `'inv_2'`, email_key: `'b'` })}`,
    'two sign-in links of a person': `${person()}; ${signInLink()}; ${signInLink({ digest: `sha256('y')` })}`,
    'two identities with one subject': `${person()}; ${identity()}; ${identity()}`,
    'two identities of a person at a provider': `${person()}; ${identity()}; ${identity({ subject: `'2'` })}`,
    'two sessions with one id': `${session()}; ${session()}`,
    'two sums of a day': `${ledgerDay()}; ${ledgerDay()}`,
    'two counts of a day': `${dailyResult()}; ${dailyResult()}`,
    'two counts of unproved results': `${unproved()}; ${unproved()}`,
    'two audits of the night': `${audit()}; ${audit()}`,
    'two counts of one place': `${refusal()}; ${refusal()}`,
    'two counts of guesses at one subject': `${guess()}; ${guess()}`,
  },
  // foreign_key_violation
  '23503': {
    'a payment of an unknown account': payment({ account: `'acc_9'` }),
    'a batch of an unknown account': batch({ account_id: `'acc_9'` }),
    'an address of an unknown batch': batchRow(),
    'a list of an unknown account': list({ account_id: `'acc_9'` }),
    'a list of an unknown batch': list({ batch_id: ID }),
    'a row of an unknown list': listRow(),
    'a notice of an unknown account': notice({ account_id: `'acc_9'` }),
    'a callback of an unknown batch': callback(),
    'a try of an unknown callback': `${batch()}; ${callbackTry()}`,
    'a conversation of an unknown organisation': conversation(),
    'an organisation that is forgotten during a conversation': `${pace()}; ${conversation()}; delete from paces`,
    'a turn of an unknown account': accountTurn({ account_id: `'acc_9'` }),
    'an app of an unknown account': app({ account_id: `'acc_9'` }),
    'a redirect URI of an unknown app': redirectUri(),
    'a code for a redirect URI of no app': `${app()}; ${code()}`,
    'a token family of an unknown app': family(),
    'an app of nobody': authenticatorApp(),
    'a known browser of nobody': knownBrowser(),
    'a change of nobody': personEvent(),
    'a member of an unknown account': `${person()}; ${member({ account_id: `'acc_9'` })}`,
    'a member who is not a person': member(),
    'an invitation that a person made who is gone': invitation(),
    'a sign-in link of nobody': signInLink(),
    'a code of a person who is no member': `${app()}; ${person()}; ${code({ person_id: `'per_1'` })}`,
    'an identity of an unknown person': identity({ person_id: `'per_9'` }),
    'a session of the provider without a session': providerSession({ session_id: `sha256('z')` }),
    'a session of an unknown person': session({ person_id: `'per_9'` }),
    'a session of an unknown account': session({ account_id: `'acc_9'` }),
    'a refusal of an unknown key': refusal({ key_id: `'key_9'` }),
  },
  // generated_always
  '428C9': { 'a ledger row with an id of its own': ledger({ id: '1' }) },
};

describe.each(Object.entries(REFUSED))('error %s', (code, statements) => {
  it.each(Object.entries(statements))('refuses %s', async (_name, statement) => {
    const attempt = runAndUndo([...GROUND, statement]);
    await expect(attempt).rejects.toMatchObject({ code });
  });
});

it.each(['verification', 'refund', 'billing', 'batch'])(
  'refuses a second ledger row of the same %s',
  async (why) => {
    const row = ledger({ why: `'${why}'`, of: `'x'` });
    await expect(runAndUndo([...GROUND, row, row])).rejects.toMatchObject({ code: '23505' });
  },
);

it('takes several top-ups with the same note, and several refunds of one batch', async () => {
  const topUp = ledger({ of: `'card'` });
  const refund = ledger({ why: `'batch-refund'`, of: `'x'` });
  await runAndUndo([...GROUND, topUp, topUp, refund, refund]);
});

it('deletes what belongs to an account with the account', async () => {
  const tables = [
    ...['app_redirect_uris', 'apps', 'authorization_codes', 'batch_rows', 'batches', 'callback_tries'],
    ...['callbacks', 'daily_results', 'device_requests', 'idempotency', 'key_refusals', 'key_values'],
    ...['keys', 'ledger', 'ledger_days', 'notices', 'sessions', 'token_families', 'unproved_results'],
    ...['verifications', 'visitors'],
  ];
  const left = tables.map((table) => `select '${table}' as table from ${table}`).join(' union all ');
  const batches = [batch(), batchRow(), callback(), callbackTry()];
  const apps = [app(), redirectUri(), code(), family(), device()];
  const others = [notice(TOLD), ledger(), value(), verification(), visitor(), request(), session()];
  const filled = [...GROUND, ...batches, ...apps, ...others, dailyResult(), refusal(), unproved()];
  expect((await runAndUndo([...filled, left])).map((row) => row.table).sort()).toEqual(tables);
  expect(await runAndUndo([...filled, 'delete from accounts', left])).toEqual([]);
});

it.each([
  GROUND,
  [...GROUND, ledger(), value(), verification(), rate(), visitor(), request()],
  [proofKey(), renewable()],
  [pace(), conversation(), queue({ in_background: 'true' }), wait(), progress(), mark()],
  [...GROUND, accountTurn(), batchTurn()],
  [...GROUND, batch(), batchRow({ address: `'"\\u0000"'` })],
  [...GROUND, batch({ ...COMPLETED, emptied_at: 'now()', download_name: NAME })],
  [...GROUND, batch(), callback(SENT), callbackTry({ status: 'null', error: `'x'` })],
  [...GROUND, app({ secret: DIGEST }), redirectUri(), code({ challenge: `'x'` }), family({ code: DIGEST })],
  [...GROUND, app(), device({ state: `'allowed'`, account_id: `'acc_1'` })],
  [person(), knownBrowser(), personEvent(), personEvent({ subject: `'x'` })],
  [person(), authenticatorApp(), authenticatorApp(NOT_CONFIRMED), passkey(), recoveryCode(), halfSignIn()],
  [person(), authenticatorApp({ secret: 'null', sealed_secret: SEALED }), halfSignIn({ return_to: 'null' })],
  [...GROUND, session({ user_agent: `repeat('x', 400)` }), guess({ paused_until: 'now()' })],
  [...GROUND, person(), session(), identity(), providerRequest()],
  [...GROUND, person(), session(), identity(), providerSession({ sid: `'x'` }), logoutToken()],
  [...GROUND, other({ keep_results_seconds: '3600', ...FORMER, former_callback_secret: `'whsec_y'` })],
  [...GROUND, other({ ...ALL_SEALED, ...FORMER, sealed_former_callback_secret: SEALED })],
  [...GROUND, key({ id: `'key_2'`, captcha_provider: `'turnstile'`, sealed_captcha_secret: SEALED })],
])('takes valid rows: %#', async (...statements) => {
  await runAndUndo(statements);
});

type Row = Record<string, unknown>;

/** @returns the rows of the last statement */
async function runAndUndo(statements: readonly string[]): Promise<Row[]> {
  const transaction = await database.db.startTransaction().execute();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await sql.raw<Row>(statement).execute(transaction));
    return rows;
  } finally {
    await transaction.rollback().execute();
  }
}
