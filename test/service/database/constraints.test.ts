import { sql } from 'kysely';
import { expect, it } from 'vitest';
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
const SEALED = `'0123456789abcdef.x'`;

const account = insert('accounts', {
  id: `'acc_1'`,
  owner_email: `'Ada@example.com'`,
  email_key: `'ada@example.com'`,
  callback_secret: `'whsec_x'`,
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
  ...{ account_id: `'acc_1'`, day: `'2026-11-23'`, source: `'verify'`, mode: `'live'` },
  ...{ reason: `'timeout'`, count: '1' },
});
const unproved = insert('unproved_results', {
  ...{ account_id: `'acc_1'`, source: `'verify'`, mode: `'test'`, count: '-1' },
});
const audit = insert('book_audit', { due_at: 'now()' });
const refusal = insert('key_refusals', {
  ...{ key_id: `'key_1'`, reason: `'ip'`, seen_from: `'::1'`, count: '1' },
  ...{ first_at: 'now()', last_at: 'now()' },
});
const key = insert('keys', { id: `'key_1'`, account_id: `'acc_1'`, kind: `'private'`, mode: `'live'` });
/** A key that may spend five credits a day. */
const SPENDER = {
  id: `'key_2'`,
  kind: `'public'`,
  mode: `'live'`,
  trusted_domains: `'{shop.example}'`,
  daily_credits: '5',
};
const spending = insert('key_spending', {
  ...{ key_id: `'key_1'`, account_id: `'acc_1'`, day: `'2026-11-23'`, spent: '0' },
});
const value = insert('key_values', { digest: DIGEST, key_id: `'key_1'`, last4: `'abcd'` });
const verification = insert('verifications', {
  id: UUID,
  account_id: `'acc_1'`,
  question: DIGEST,
  process_id: UUID,
  state: `'running'`,
  expires_at: 'now()',
});
const POINT = `'${'a'.repeat(43)}'`;
const proofKey = insert('proof_keys', {
  ...{ id: POINT, x: POINT, y: POINT, private_key: `'d'`, proof_seconds: '600' },
  ...{ made_at: 'now()', signs_from: 'now()' },
});
const renewable = insert('renewable_results', {
  id: DIGEST,
  account_id: `'acc_1'`,
  question: DIGEST,
  outcome: DIGEST,
  expires_at: 'now()',
});
const rate = insert('rates', {
  account_id: `'acc_1'`,
  endpoint: `'verify'`,
  started_at: 'now()',
  count: '1',
});
const visitor = insert('visitors', { key_id: `'key_1'`, day: 'now()', network: `'::1'`, addresses: `'{}'` });
const request = insert('idempotency', {
  account_id: `'acc_1'`,
  mode: `'live'`,
  route: `'/v1/verify'`,
  key: `'k'`,
  request: DIGEST,
  process_id: UUID,
});
const batch = insert('batches', {
  id: `'0123456789abcdef01234567'`,
  account_id: `'acc_1'`,
  mode: `'live'`,
  total: '3',
  distinct_total: '2',
  retries: 'true',
});
const NAME = `'${'aZ0_-'.repeat(8)}abc'`;
const batchRow = insert('batch_rows', {
  batch_id: `'0123456789abcdef01234567'`,
  place: '0',
  address: `'"ada@example.com"'`,
});
const COMPLETED = { completed_at: 'now()', expires_at: 'now()', reason_counts: `'{}'` };
const notice = insert('notices', { account_id: `'acc_1'`, url: `'https://shop.example/'` });
const TOLD = { told_at: 'now()', available: '1', needed: '2', message_id: `'msg_1'`, due_at: 'now()' };
const callback = insert('callbacks', {
  batch_id: `'0123456789abcdef01234567'`,
  message_id: `'msg_1'`,
  due_at: 'now()',
});
const SENT = { due_at: 'null', process_id: UUID, attempt: '1', tried_at: 'now()' };
const callbackTry = insert('callback_tries', {
  batch_id: `'0123456789abcdef01234567'`,
  number: '1',
  at: 'now()',
  status: '200',
});
const pace = insert('paces', { organisation: `'Example'` });
const domainFact = insert('domain_facts', {
  ...{ domain: `'company.example'`, organisation: `'Example'`, until: 'now()' },
  ...{ learnt_at: 'now()', server: `'mx.example'` },
});
const ASKED = { learnt_at: 'null', server: 'null', process_id: UUID, claim_id: UUID };
const conversation = insert('conversations', {
  id: UUID,
  organisation: `'Example'`,
  process_id: UUID,
  begun_after: '0',
  begun_at: 'now()',
});
const queue = insert('conversation_queues', {
  organisation: `'Example'`,
  process_id: `'00000000-0000-4000-8000-000000000001'`,
  since: 'now()',
  seen_at: 'now()',
});
const wait = insert('conversation_waits', {
  organisation: `'Example'`,
  process_id: `'00000000-0000-4000-8000-000000000001'`,
  since: 'now()',
  in_background: 'false',
  seen_at: 'now()',
});
const progress = insert('batch_progress', {
  batch_id: `'0123456789abcdef01234567'`,
  connection: '1',
  reason: `'accepted_email'`,
  count: '1',
  duplicates: '0',
});

const accountTurn = insert('account_turns', { account_id: `'acc_1'`, mode: `'live'` });
const batchTurn = insert('batch_turns', {
  batch_id: `'0123456789abcdef01234567'`,
  account_id: `'acc_1'`,
  mode: `'live'`,
});
const mark = insert('batch_marks', { batch_id: `'0123456789abcdef01234567'`, at: 'now()', processed: '0' });

const CLIENT = `'0123456789'`;
const app = insert('apps', {
  client_id: CLIENT,
  account_id: `'acc_1'`,
  name: `'App'`,
  allows_device: 'true',
});
const redirectUri = insert('app_redirect_uris', { client_id: CLIENT, uri: `'https://app.example/'` });
const code = insert('authorization_codes', {
  digest: DIGEST,
  client_id: CLIENT,
  account_id: `'acc_1'`,
  redirect_uri: `'https://app.example/'`,
  expires_at: 'now()',
});
const family = insert('token_families', {
  handle: DIGEST,
  client_id: CLIENT,
  account_id: `'acc_1'`,
  refresh_token: DIGEST,
  access_token: DIGEST,
  access_expires_at: 'now()',
});
const device = insert('device_requests', {
  device_code: DIGEST,
  user_code: DIGEST,
  client_id: CLIENT,
  interval_seconds: '5',
  expires_at: 'now()',
});

const person = insert('persons', {
  id: `'per_1'`,
  email: `'Eve@example.com'`,
  email_key: `'eve@example.com'`,
});
const member = insert('members', { account_id: `'acc_1'`, person_id: `'per_1'`, role: `'viewer'` });
const authenticatorApp = insert('authenticator_apps', {
  id: `'totp_1'`,
  person_id: `'per_1'`,
  secret: `'GEZDGNBV'`,
  last_step: '1',
  confirmed_at: 'now()',
});
const NOT_CONFIRMED = { id: `'totp_2'`, last_step: 'null', confirmed_at: 'null' };
const passkey = insert('passkeys', {
  ...{ id: `'a-B_0'`, person_id: `'per_1'`, public_key: DIGEST, counter: '0' },
  ...{ transports: `'{usb}'`, name: `'Laptop'`, challenged_at: 'now()' },
});
const recoveryCode = insert('recovery_codes', { digest: DIGEST, person_id: `'per_1'` });
const halfSignIn = insert('half_sign_ins', {
  ...{ id: DIGEST, person_id: `'per_1'`, password_digest: DIGEST, return_to: `'/dashboard/'` },
  expires_at: 'now()',
});
const invitation = insert('invitations', {
  id: `'inv_1'`,
  account_id: `'acc_1'`,
  email: `'Guest@example.com'`,
  email_key: `'guest@example.com'`,
  role: `'viewer'`,
  digest: DIGEST,
  inviter_id: `'per_1'`,
  expires_at: `clock_timestamp() + interval '1 hour'`,
});
const signInLink = insert('sign_in_links', {
  person_id: `'per_1'`,
  digest: DIGEST,
  expires_at: `clock_timestamp() + interval '1 hour'`,
});
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
const session = insert('sessions', {
  id: DIGEST,
  account_id: `'acc_1'`,
  expires_at: `clock_timestamp() + interval '1 hour'`,
});
const knownBrowser = insert('known_browsers', { person_id: `'per_1'`, id: DIGEST });
const personEvent = insert('person_events', {
  person_id: `'per_1'`,
  event: `'app.added'`,
  actor_kind: `'operator'`,
});
const list = insert('lists', {
  id: `'0123456789abcdef01234567'`,
  account_id: `'acc_1'`,
  name: `'customers.csv'`,
  columns: '2',
  row_count: '3',
  address_column: '1',
});
const listRow = insert('list_rows', {
  list_id: `'0123456789abcdef01234567'`,
  number: '0',
  cells: `'["Ada", "ada@example.com"]'`,
});
const guess = insert('guesses', { subject: DIGEST, wrong: '1' });

/** What has to be there before the statement. */
const GROUND = [account(), key()];

it.each<readonly [what: string, code: string, statement: string]>([
  ['a negative balance', '23514', account({ id: `'acc_2'`, email_key: `'b'`, available_credits: '-1' })],
  [
    'a balance that is not exact',
    '23514',
    account({ id: `'acc_2'`, email_key: `'b'`, available_credits: '9007199254740992' }),
  ],
  ['a second account with the same email address', '23505', account({ id: `'acc_2'` })],
  [
    'a callback secret without its prefix',
    '23514',
    account({ id: `'acc_2'`, email_key: `'b'`, callback_secret: `'whsecx'` }),
  ],
  ...['verify_per_second', 'batch_per_second', 'account_per_second', 'batch_size'].map(
    (limit) => [`${limit} 0`, '23514', account({ id: `'acc_2'`, email_key: `'b'`, [limit]: '0' })] as const,
  ),
  ['results kept for less than an hour', '23514', other({ keep_results_seconds: '3599' })],
  [
    'a former callback secret without its prefix',
    '23514',
    other({ former_callback_secret: `'whsecx'`, former_callback_secret_until: 'now()' }),
  ],
  ['an account without a callback secret', '23514', other({ callback_secret: 'null' })],
  ['a callback secret in clear and sealed', '23514', other({ sealed_callback_secret: SEALED })],
  [
    'a sealed secret without the id of its key',
    '23514',
    other({ callback_secret: 'null', sealed_callback_secret: `'x'` }),
  ],
  [
    'a captcha secret in clear and sealed',
    '23514',
    key({
      ...{ id: `'key_2'`, captcha_provider: `'turnstile'` },
      ...{ captcha_secret: `'s'`, sealed_captcha_secret: SEALED },
    }),
  ],
  [
    'a sealed captcha secret without a captcha',
    '23514',
    key({ id: `'key_2'`, sealed_captcha_secret: SEALED }),
  ],
  ['a former callback secret without an end', '23514', other({ former_callback_secret: `'whsec_x'` })],
  ['the end of no former callback secret', '23514', other({ former_callback_secret_until: 'now()' })],
  ['a payment of an unknown account', '23503', payment({ account: `'acc_9'` })],
  ['a payment for nothing', '23514', payment({ needed: '0' })],
  ['an ended payment without an outcome', '23514', payment({ ended_at: 'now()' })],
  ['an outcome of an open payment', '23514', payment({ outcome: `'refused'` })],
  ['another outcome of a payment', '23514', payment({ outcome: `'lost'`, ended_at: 'now()' })],
  ['a credited payment without credits', '23514', payment({ outcome: `'credited'`, ended_at: 'now()' })],
  [
    'credits of a refused payment',
    '23514',
    payment({ outcome: `'refused'`, credits: '5', ended_at: 'now()' }),
  ],
  [
    'a try of an ended payment',
    '23514',
    payment({ outcome: `'refused'`, ended_at: 'now()', process_id: UUID }),
  ],
  ['a reference of no credits', '23514', reference({ amount: '0' })],
  ['an empty reference', '23514', reference({ reference: `''` })],
  ['a ledger row of 0 credits', '23514', ledger({ amount: '0' })],
  ['a ledger row with another reason', '23514', ledger({ why: `'gift'` })],
  ['a ledger row with a negative balance', '23514', ledger({ balance: '-1' })],
  ['a ledger row with an id of its own', '428C9', ledger({ id: '1' })],
  ['a key of another kind', '23514', key({ id: `'key_2'`, kind: `'secret'` })],
  ['a limit of 0 credits a day', '23514', key({ ...SPENDER, daily_credits: '0' })],
  ['a limit of credits for a private key', '23514', key({ ...SPENDER, kind: `'private'` })],
  ['a limit of credits for a test key', '23514', key({ ...SPENDER, mode: `'test'` })],
  ['a key that has spent less than nothing', '23514', spending({ spent: '-1' })],
  ['two counts of what a key has spent', '23505', `${spending()}; ${spending()}`],
  ['a key of another mode', '23514', key({ id: `'key_2'`, mode: `'beta'` })],
  ['a public key without a domain', '23514', key({ id: `'key_2'`, kind: `'public'` })],
  [
    'another captcha provider',
    '23514',
    key({ id: `'key_2'`, captcha_provider: `'mine'`, captcha_secret: `'s'` }),
  ],
  ['a captcha without its secret', '23514', key({ id: `'key_2'`, captcha_provider: `'turnstile'` })],
  ['a captcha URL without a captcha', '23514', key({ id: `'key_2'`, siteverify_url: `'http://x'` })],
  ['a digest of another length', '23514', value({ digest: `'x'` })],
  ['more than four characters of a key', '23514', value({ last4: `'abcde'` })],
  ['two current values of a key', '23505', `${value()}; ${value({ digest: `sha256('y')` })}`],
  ['one value of two keys', '23505', `${value()}; ${value({ expires_at: 'now()' })}`],
  ['the same question twice', '23505', `${verification()}; ${verification()}`],
  ['a verification in another state', '23514', verification({ state: `'done'` })],
  ['a kept verification without an outcome', '23514', verification({ state: `'kept'` })],
  ['a running verification with an outcome', '23514', verification({ outcome: `'{}'` })],
  ['a key of proofs that is not named by a digest', '23514', proofKey({ id: `'key_1'` })],
  ['a key of proofs with half a point', '23514', proofKey({ y: `'a'` })],
  ['a key of proofs without its private part', '23514', proofKey({ private_key: 'null' })],
  ['a key of proofs in clear and sealed', '23514', proofKey({ sealed_private_key: SEALED })],
  [
    'a sealed key of proofs without the id of its key',
    '23514',
    proofKey({ private_key: 'null', sealed_private_key: `'x'` }),
  ],
  ['a key of proofs that last for no time', '23514', proofKey({ proof_seconds: '0' })],
  [
    'a key of proofs that signs before it is made',
    '23514',
    proofKey({ signs_from: `now() - interval '1 second'` }),
  ],
  ['two keys of proofs with one name', '23505', `${proofKey()}; ${proofKey()}`],
  ['one renewable result twice', '23505', `${renewable()}; ${renewable()}`],
  ['a rate of 0 requests', '23514', rate({ count: '0' })],
  ['two rates of one endpoint', '23505', `${rate()}; ${rate()}`],
  ['two rows of one visitor and day', '23505', `${visitor()}; ${visitor()}`],
  ['one idempotency key twice', '23505', `${request()}; ${request()}`],
  ['a status without a body', '23514', request({ status: '200' })],
  ['a key of no mode', '23514', request({ mode: `'public'` })],
  ['a key of another route', '23514', request({ route: `'/v1/account'` })],
  ['an id of a batch that is not one', '23514', batch({ id: `'0123'` })],
  ['a batch of an unknown account', '23503', batch({ account_id: `'acc_9'` })],
  ['a batch without addresses', '23514', batch({ total: '0', distinct_total: '0' })],
  ['more distinct addresses than addresses', '23514', batch({ distinct_total: '4' })],
  ['a batch that wants no field', '23514', batch({ response_fields: `'{}'` })],
  ['a completed batch without its counts', '23514', batch({ ...COMPLETED, reason_counts: 'null' })],
  ['a completed batch that is kept for ever', '23514', batch({ ...COMPLETED, expires_at: 'null' })],
  ['a completed batch that is paused', '23514', batch({ ...COMPLETED, paused_at: 'now()' })],
  ['an open batch that has been emptied', '23514', batch({ emptied_at: 'now()' })],
  ['a name of a download that can be guessed', '23514', batch({ download_name: `'report'` })],
  [
    'two downloads with one name',
    '23505',
    `${batch({ download_name: NAME })}; ${batch({ id: `'76543210fedcba9876543210'`, download_name: NAME })}`,
  ],
  ['an address of an unknown batch', '23503', batchRow()],
  ['two addresses at one place', '23505', `${batch()}; ${batchRow()}; ${batchRow()}`],
  ['a reason without a result', '23514', `${batch()}; ${batchRow({ reason: `'timeout'` })}`],
  ['a result without a reason', '23514', `${batch()}; ${batchRow({ result: `'{}'` })}`],
  [
    'an address that a process has claimed and that waits',
    '23514',
    `${batch()}; ${batchRow({ process_id: UUID, due_at: 'now()' })}`,
  ],
  [
    'an address with a result that a process has claimed',
    '23514',
    `${batch()}; ${batchRow({ process_id: UUID, reason: `'timeout'`, result: `'{}'` })}`,
  ],
  ['another reason', '23514', `${batch()}; ${batchRow({ reason: `'luck'`, result: `'{}'` })}`],
  ['an id of a list that is not one', '23514', list({ id: `'0123'` })],
  ['a list of an unknown account', '23503', list({ account_id: `'acc_9'` })],
  ['a list of an unknown batch', '23503', list({ batch_id: `'0123456789abcdef01234567'` })],
  [
    'two lists of one batch',
    '23505',
    `${batch()}; ${list({ batch_id: `'0123456789abcdef01234567'` })}; ${list({ id: `'76543210fedcba9876543210'`, batch_id: `'0123456789abcdef01234567'` })}`,
  ],
  ['a list without a name', '23514', list({ name: `''` })],
  ['a list without rows', '23514', list({ row_count: '0' })],
  ['a list whose address column is not there', '23514', list({ address_column: '2' })],
  ['a row of an unknown list', '23503', listRow()],
  ['two rows of a list with one number', '23505', `${list()}; ${listRow()}; ${listRow()}`],
  ['a row with a negative place', '23514', `${list()}; ${listRow({ place: '-1' })}`],
  ['a notice of an unknown account', '23503', notice({ account_id: `'acc_9'` })],
  ['two notices of one account', '23505', `${notice()}; ${notice()}`],
  ['a notice that waits and tells nothing', '23514', notice({ due_at: 'now()' })],
  ['a notice that tells and does not wait', '23514', notice({ ...TOLD, due_at: 'null' })],
  ['a notice that was delivered and waits', '23514', notice({ ...TOLD, delivered_at: 'now()' })],
  ['a notice without an id', '23514', notice({ ...TOLD, message_id: 'null' })],
  ['a notice of enough credits', '23514', notice({ ...TOLD, needed: '1' })],
  ['a notice for less than no days', '23514', notice({ ...TOLD, days_left: '-1' })],
  ['a callback of an unknown batch', '23503', callback()],
  [
    'two callbacks of one batch',
    '23505',
    `${batch()}; ${callback()}; ${callback({ message_id: `'msg_2'` })}`,
  ],
  ['a callback in no state', '23514', `${batch()}; ${callback({ due_at: 'null' })}`],
  ['a callback that waits and is sent', '23514', `${batch()}; ${callback({ ...SENT, due_at: 'now()' })}`],
  [
    'a callback that was delivered and given up',
    '23514',
    `${batch()}; ${callback({ ...SENT, process_id: 'null', delivered_at: 'now()', given_up_at: 'now()' })}`,
  ],
  [
    'a callback that is over without a try',
    '23514',
    `${batch()}; ${callback({ due_at: 'null', given_up_at: 'now()' })}`,
  ],
  ['a try without its time', '23514', `${batch()}; ${callback({ ...SENT, tried_at: 'null' })}`],
  ['a try of an unknown callback', '23503', `${batch()}; ${callbackTry()}`],
  ['two tries with one number', '23505', `${batch()}; ${callback()}; ${callbackTry()}; ${callbackTry()}`],
  ['a 200 with an error', '23514', `${batch()}; ${callback()}; ${callbackTry({ error: `'x'` })}`],
  [
    'another status without an error',
    '23514',
    `${batch()}; ${callback()}; ${callbackTry({ status: '204' })}`,
  ],
  ['no status without an error', '23514', `${batch()}; ${callback()}; ${callbackTry({ status: 'null' })}`],
  ['a second that is not counted', '23514', pace({ seconds: `'{1}'` })],
  ['a pause without an end', '23514', pace({ pauses: '1' })],
  ['an end without a pause', '23514', pace({ paused_until: 'now()' })],
  ['two facts of one domain', '23505', `${domainFact()}; ${domainFact()}`],
  ['a fact that is asked about and known', '23514', domainFact({ process_id: UUID, claim_id: UUID })],
  ['a fact that is neither', '23514', domainFact({ learnt_at: 'null', server: 'null' })],
  ['a claim on a fact without a process', '23514', domainFact({ ...ASKED, process_id: 'null' })],
  ['a fact without its server', '23514', domainFact({ server: 'null' })],
  ['a fact before its answer', '23514', domainFact({ ...ASKED, accepts_all: 'true' })],
  ['a fact by what is no reply', '23514', domainFact({ code: '600' })],
  ['a conversation of an unknown organisation', '23503', conversation()],
  [
    'an organisation that is forgotten during a conversation',
    '23503',
    `${pace()}; ${conversation()}; delete from paces`,
  ],
  ['progress of no address', '23514', progress({ count: '0' })],
  ['progress with fewer duplicates than none', '23514', progress({ duplicates: '-1' })],
  ['two counts of one connection', '23505', `${progress()}; ${progress()}`],
  ['a turn of an unknown account', '23503', accountTurn({ account_id: `'acc_9'` })],
  ['a turn of an account of no mode', '23514', accountTurn({ mode: `'public'` })],
  ['two turns of one account', '23505', `${accountTurn()}; ${accountTurn()}`],
  ['a turn of a batch of no mode', '23514', batchTurn({ mode: `'public'` })],
  ['two turns of one batch', '23505', `${batchTurn()}; ${batchTurn()}`],
  ['a mark before the beginning', '23514', mark({ processed: '-1' })],
  ['two marks of one moment', '23505', `${mark()}; ${mark()}`],
  ['a process that waits twice', '23505', `${queue()}; ${queue()}`],
  ['an app of an unknown account', '23503', app({ account_id: `'acc_9'` })],
  ['a client id that is not one', '23514', app({ client_id: `'012345678'` })],
  ['two apps with one client id', '23505', `${app()}; ${app()}`],
  ['an app without a name', '23514', app({ name: `''` })],
  ['a client secret that is not a digest', '23514', app({ secret: `'secret'` })],
  ['a former secret without an end', '23514', app({ secret: DIGEST, former_secret: DIGEST })],
  ['a former secret of a public app', '23514', app({ former_secret: DIGEST, former_secret_until: 'now()' })],
  [
    'a former secret that is not a digest',
    '23514',
    app({ secret: DIGEST, former_secret: `'x'`, former_secret_until: 'now()' }),
  ],
  ['a redirect URI of an unknown app', '23503', redirectUri()],
  ['one redirect URI twice', '23505', `${app()}; ${redirectUri()}; ${redirectUri()}`],
  ['a code for a redirect URI of no app', '23503', `${app()}; ${code()}`],
  ['a code that is not a digest', '23514', `${app()}; ${redirectUri()}; ${code({ digest: `'x'` })}`],
  ['a token family of an unknown app', '23503', family()],
  [
    'two families from one code',
    '23505',
    `${app()}; ${family({ code: DIGEST })}; ${family({ code: DIGEST, handle: `sha256('y')`, access_token: `sha256('y')` })}`,
  ],
  [
    'two families with one access token',
    '23505',
    `${app()}; ${family()}; ${family({ handle: `sha256('y')` })}`,
  ],
  ...['handle', 'code', 'refresh_token', 'access_token'].map(
    (name) =>
      [`a family whose ${name} is not a digest`, '23514', `${app()}; ${family({ [name]: `'x'` })}`] as const,
  ),
  ['a device code that is not a digest', '23514', `${app()}; ${device({ device_code: `'x'` })}`],
  ['a user code that is not a digest', '23514', `${app()}; ${device({ user_code: `'WDJBMJHT'` })}`],
  [
    'two devices with one user code',
    '23505',
    `${app()}; ${device()}; ${device({ device_code: `sha256('y')` })}`,
  ],
  ['a device in another state', '23514', `${app()}; ${device({ state: `'lost'` })}`],
  ['a device that nobody has allowed', '23514', `${app()}; ${device({ state: `'allowed'` })}`],
  ['a device that waits and was allowed', '23514', `${app()}; ${device({ account_id: `'acc_1'` })}`],
  ['an interval of 0 seconds', '23514', `${app()}; ${device({ interval_seconds: '0' })}`],
  ['a person with the id of an account', '23514', person({ id: `'acc_7'` })],
  ['a person with an empty password', '23514', person({ password_hash: `''` })],
  ['two persons with one address', '23505', `${person()}; ${person({ id: `'per_2'` })}`],
  ['an app without a key', '23514', `${person()}; ${authenticatorApp({ secret: 'null' })}`],
  ['an app with two keys', '23514', `${person()}; ${authenticatorApp({ sealed_secret: SEALED })}`],
  ['an app that counts without a code', '23514', `${person()}; ${authenticatorApp({ last_step: 'null' })}`],
  [
    'two apps that count',
    '23505',
    `${person()}; ${authenticatorApp()}; ${authenticatorApp({ id: `'totp_2'` })}`,
  ],
  ['an app of nobody', '23503', authenticatorApp()],
  ['a passkey with another id', '23514', `${person()}; ${passkey({ id: `'a+b'` })}`],
  ['a passkey without a name', '23514', `${person()}; ${passkey({ name: `''` })}`],
  ['a passkey with a long name', '23514', `${person()}; ${passkey({ name: `repeat('x', 61)` })}`],
  ['a passkey twice', '23505', `${person()}; ${passkey()}; ${passkey()}`],
  ['two keys of challenges', '23505', `insert into challenge_keys (key) values (${DIGEST}), (${DIGEST})`],
  ['no key of challenges', '23514', `insert into challenge_keys (id, key) values (false, ${DIGEST})`],
  ['a recovery code that is not a digest', '23514', `${person()}; ${recoveryCode({ digest: `'x'` })}`],
  ['half a sign-in that is not a digest', '23514', `${person()}; ${halfSignIn({ id: `'x'` })}`],
  ['a known browser that is not a digest', '23514', `${person()}; ${knownBrowser({ id: `'x'` })}`],
  ['a known browser twice', '23505', `${person()}; ${knownBrowser()}; ${knownBrowser()}`],
  ['a known browser of nobody', '23503', knownBrowser()],
  ['a long name of a browser', '23514', `${person()}; ${knownBrowser({ user_agent: `repeat('x', 401)` })}`],
  ['a long network', '23514', `${person()}; ${knownBrowser({ network: `repeat('x', 51)` })}`],
  ['a change of nobody', '23503', personEvent()],
  ['a change with a long name', '23514', `${person()}; ${personEvent({ event: `repeat('x', 51)` })}`],
  ['a change with a long subject', '23514', `${person()}; ${personEvent({ subject: `repeat('x', 401)` })}`],
  ['half a sign-in to another site', '23514', `${person()}; ${halfSignIn({ return_to: `'https://x'` })}`],
  ['a member of an unknown account', '23503', `${person()}; ${member({ account_id: `'acc_9'` })}`],
  ['a member who is not a person', '23503', member()],
  ['a member with another role', '23514', `${person()}; ${member({ role: `'boss'` })}`],
  ['a member twice', '23505', `${person()}; ${member()}; ${member()}`],
  ['an invitation that a person made who is gone', '23503', invitation()],
  ['an invitation with another role', '23514', `${person()}; ${invitation({ role: `'boss'` })}`],
  ['an invitation with the id of a person', '23514', `${person()}; ${invitation({ id: `'per_1'` })}`],
  [
    'an invitation with a secret instead of its digest',
    '23514',
    `${person()}; ${invitation({ digest: `'x'` })}`,
  ],
  [
    'an invitation that ends before it begins',
    '23514',
    `${person()}; ${invitation({ expires_at: 'now()' })}`,
  ],
  [
    'two invitations of one address into an account',
    '23505',
    `${person()}; ${invitation()}; ${invitation({ id: `'inv_2'`, digest: `sha256('y')` })}`,
  ],
  [
    'two links of one digest',
    '23505',
    `${person()}; ${invitation()}; ${invitation({ id: `'inv_2'`, email_key: `'b'` })}`,
  ],
  ['a sign-in link of nobody', '23503', signInLink()],
  [
    'two sign-in links of a person',
    '23505',
    `${person()}; ${signInLink()}; ${signInLink({ digest: `sha256('y')` })}`,
  ],
  [
    'a sign-in link that ends before it begins',
    '23514',
    `${person()}; ${signInLink({ expires_at: 'now()' })}`,
  ],
  [
    'a code of a person who is no member',
    '23503',
    `${app()}; ${person()}; ${code({ person_id: `'per_1'` })}`,
  ],
  ['an identity of an unknown person', '23503', identity({ person_id: `'per_9'` })],
  ['two identities with one subject', '23505', `${person()}; ${identity()}; ${identity()}`],
  [
    'two identities of a person at a provider',
    '23505',
    `${person()}; ${identity()}; ${identity({ subject: `'2'` })}`,
  ],
  ['a state that is not a digest', '23514', providerRequest({ state: `'x'` })],
  ['a state of a browser that is not a digest', '23514', providerRequest({ browser: `'x'` })],
  ['a sign-in with fields of a form', '23514', providerRequest({ sealed: `'x'`, person_id: 'null' })],
  ['a session of the provider without a session', '23503', providerSession({ session_id: `sha256('z')` })],
  ['a logout token that is not a digest', '23514', logoutToken({ id: `'x'` })],
  ['a session of an unknown person', '23503', session({ person_id: `'per_9'` })],
  ['a session of an unknown account', '23503', session({ account_id: `'acc_9'` })],
  ['a session that is not a digest', '23514', session({ id: `'x'` })],
  ['a session that ends before it begins', '23514', session({ created_at: 'now()', expires_at: 'now()' })],
  ['a long name of a browser', '23514', session({ user_agent: `repeat('x', 401)` })],
  ['two sessions with one id', '23505', `${session()}; ${session()}`],
  ['guesses at what is not a digest', '23514', guess({ subject: `'ada@example.com'` })],
  ['fewer wrong guesses than none', '23514', guess({ wrong: '-1' })],
  ['a day of the ledger for another reason', '23514', ledgerDay({ why: `'gift'` })],
  ['a day of the ledger without a row', '23514', ledgerDay({ count: '0' })],
  ['a day of the ledger that ends before it begins', '23514', ledgerDay({ first_id: '2' })],
  ['two sums of a day', '23505', `${ledgerDay()}; ${ledgerDay()}`],
  ['results from elsewhere', '23514', dailyResult({ source: `'widget'` })],
  ['results for another reason', '23514', dailyResult({ reason: `'luck'` })],
  ['fewer results than one', '23514', dailyResult({ count: '0' })],
  ['two counts of a day', '23505', `${dailyResult()}; ${dailyResult()}`],
  ['fewer refunds than none', '23514', dailyResult({ refunded: '-1' })],
  ['unproved results from elsewhere', '23514', unproved({ source: `'widget'` })],
  ['unproved results of another mode', '23514', unproved({ mode: `'demo'` })],
  ['two counts of unproved results', '23505', `${unproved()}; ${unproved()}`],
  ['two audits of the night', '23505', `${audit()}; ${audit()}`],
  ['an audit that is under way without an account', '23514', audit({ begun_at: 'now()' })],
  ['an audit that has ended without differences', '23514', audit({ ended_at: 'now()' })],
  ['a refusal of an unknown key', '23503', refusal({ key_id: `'key_9'` })],
  ['a refusal for another reason', '23514', refusal({ reason: `'mood'` })],
  ['a refusal from a place that is too long', '23514', refusal({ seen_from: `repeat('x', 256)` })],
  ['a refusal that ends before it begins', '23514', refusal({ first_at: `now() + interval '1 second'` })],
  ['two counts of one place', '23505', `${refusal()}; ${refusal()}`],
  ['two counts of guesses at one subject', '23505', `${guess()}; ${guess()}`],
])('refuses %s', async (_name, code, statement) => {
  const attempt = runAndUndo([...GROUND, statement]);
  await expect(attempt).rejects.toMatchObject({ code });
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
    'app_redirect_uris',
    'apps',
    'authorization_codes',
    'batch_rows',
    'batches',
    'callback_tries',
    'callbacks',
    'daily_results',
    'device_requests',
    'idempotency',
    'key_refusals',
    'key_values',
    'keys',
    'ledger',
    'ledger_days',
    'notices',
    'sessions',
    'token_families',
    'unproved_results',
    'verifications',
    'visitors',
  ];
  const left = tables.map((table) => `select '${table}' as table from ${table}`).join(' union all ');
  const batches = [batch(), batchRow(), callback(), callbackTry()];
  const filled = [
    ...GROUND,
    notice(TOLD),
    ledger(),
    value(),
    verification(),
    visitor(),
    request(),
    ...batches,
  ];
  filled.push(
    app(),
    redirectUri(),
    code(),
    family(),
    device(),
    session(),
    dailyResult(),
    refusal(),
    unproved(),
  );
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
  [
    ...GROUND,
    person(),
    session(),
    identity(),
    providerRequest(),
    providerSession({ sid: `'x'` }),
    logoutToken(),
  ],
  [
    ...GROUND,
    other({
      ...{ keep_results_seconds: '3600', former_callback_secret: `'whsec_y'` },
      former_callback_secret_until: 'now()',
    }),
  ],
  [
    ...GROUND,
    other({
      ...{ callback_secret: 'null', sealed_callback_secret: SEALED, sealed_former_callback_secret: SEALED },
      former_callback_secret_until: 'now()',
    }),
    key({ id: `'key_2'`, captcha_provider: `'turnstile'`, sealed_captcha_secret: SEALED }),
  ],
])('takes valid rows: %#', async (...statements) => {
  await runAndUndo(statements);
});

/** @returns the rows of the last statement */
async function runAndUndo(statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const transaction = await database.db.startTransaction().execute();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) {
      ({ rows } = await sql.raw<Record<string, unknown>>(statement).execute(transaction));
    }
    return rows;
  } finally {
    await transaction.rollback().execute();
  }
}
