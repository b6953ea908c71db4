/** The tables of the database as Kysely's types. */
import type { ColumnType, Generated, GeneratedAlways, Kysely } from 'kysely';
import type { Reason, VerificationResult } from '../../protocol/result.ts';
import type { StoredSecret } from './secrets.ts';

/** The database as the rooms of the service see it. It may also be a transaction. */
export type Db = Kysely<Schema>;

/** A time that the database sets if the insert omits it. It never changes. */
type CreatedAt = ColumnType<Date, Date | undefined, never>;

/** Of a key, and of what was done with it. */
export type Mode = 'test' | 'live';

/** Why the credits of an account changed. */
export type LedgerReason = 'top-up' | 'verification' | 'refund' | 'billing' | 'batch' | 'batch-refund';

/** How a payment ended. */
export type PaymentOutcome = 'credited' | 'refused' | 'malformed' | 'given up';

/** A message that is sent until a 200 or its end. */
interface WebhookColumns {
  /** When the next try is due. */
  due_at: Date | null;
  /** Whether it is due because an earlier try failed. Such a try has a latest time. */
  is_retry: Generated<boolean>;
  /** The process that sends it now. */
  process_id: string | null;
  /** Grows each time that a process claims it. */
  attempt: Generated<number>;
  /** How many processes died while they sent it. Then it is sent alone, and after three deaths no more. */
  deaths: Generated<number>;
  /** When the latest try began. */
  tried_at: Date | null;
  delivered_at: Date | null;
  given_up_at: Date | null;
}

/** Two figures of the books that should be equal. */
export interface Difference {
  readonly kind: string;
  readonly account: string;
  readonly batch?: string;
  readonly payment?: string;
  readonly expected: number | string | null;
  readonly got: number | string | null;
}

/** Every table by its name. */
export interface Schema {
  /** One row per customer. A limit that is null takes the config's value. */
  accounts: {
    id: string;
    owner_email: string;
    /** The email address in lower case. It is unique. */
    email_key: string;
    /** Empty: passwords belong to persons. Only the version before writes it. */
    password_hash: Generated<string>;
    /** Always the sum of the account's ledger and of its closed months. Functions of the database change both. */
    available_credits: Generated<number>;
    /** Signs the callbacks of the account: `whsec_` and Base64. */
    callback_secret: StoredSecret | null;
    /** One of the two is null. `Secrets` explains why there are two. */
    sealed_callback_secret: Generated<StoredSecret | null>;
    verify_per_second: number | null;
    batch_per_second: number | null;
    account_per_second: number | null;
    batch_size: number | null;
    stored_entries: Generated<number | null>;
    open_batches: Generated<number | null>;
    created_at: CreatedAt;
    /** The longest time to keep the results of its batches. Null for the config's value. */
    keep_results_seconds: Generated<number | null>;
    /** The old callback secret from before the latest roll. It also signs until its end. */
    former_callback_secret: Generated<StoredSecret | null>;
    sealed_former_callback_secret: Generated<StoredSecret | null>;
    former_callback_secret_until: Generated<Date | null>;
    /** When it was deleted. The housekeeping removes the row when it has deleted what belongs to it. */
    deleted_at: Generated<Date | null>;
  };

  /** One row per change of credits. Rows are never updated. Old ones are closed into the sums of months. */
  ledger: {
    id: GeneratedAlways<number>;
    account_id: string;
    amount: number;
    why: LedgerReason;
    /** The object of the change: the id of a verification or a batch, or an operator's note. */
    of: string | null;
    /** The account's credits after the change. */
    balance: number;
    at: CreatedAt;
  };

  /** The sums of the ledger by day (UTC). A trigger writes them with each row of the ledger. */
  ledger_days: {
    account_id: string;
    /** As `2026-11-23`. */
    day: ColumnType<string, never, never>;
    why: LedgerReason;
    amount: number;
    /** How many rows of the ledger. */
    count: number;
    /** Ids of the ledger. The day's rows of all reasons lie between them. */
    first_id: number;
    last_id: number;
  };

  /** One row per need for which billing is asked. An account has at most one that is open. */
  payments: {
    id: string;
    account: string;
    /** The credits of the request that opened it, and those that the account had then. */
    needed: number;
    available: Generated<number>;
    asked_at: CreatedAt;
    tries: Generated<number>;
    /** How many answers were a 200 without credits. */
    malformed: Generated<number>;
    /** The process that makes a try. Null between tries, and at the end. */
    process_id: string | null;
    /** When the next try begins, if no process makes one. */
    next_try_at: Generated<Date>;
    /** Null while it is open. */
    outcome: PaymentOutcome | null;
    /** The credits that billing added. */
    credits: number | null;
    /** The message of a refusal, for the 402. */
    message: string | null;
    ended_at: Date | null;
  };

  /** The references of credits that an operator has added once. Rows stay when their account is deleted. */
  credit_references: { reference: string; account_id: string; amount: number; added_at: CreatedAt };

  /** The sums of the ledger's closed rows, by month (UTC). */
  ledger_months: {
    account_id: string;
    /** The first day of the month, as `2025-11-01`. */
    month: ColumnType<string, never, never>;
    why: LedgerReason;
    amount: number;
    /** How many rows were closed. */
    count: number;
  };

  /** One row per account with a notice URL, which is told once that the credits run low. */
  notices: WebhookColumns & {
    account_id: string;
    url: string;
    /** When the credits are looked at next. The trigger on `ledger` makes it due. */
    look_at: Generated<Date>;
    /** When the credits were found to run low. Null if they do not. */
    told_at: Date | null;
    /** The figures of that moment. */
    available: number | null;
    needed: number | null;
    days_left: number | null;
    /** The header `webhook-id`, the same for every try. */
    message_id: string | null;
    /** How the latest try ended. */
    status: number | null;
    /** A sentence for the owner. */
    error: string | null;
  };

  /** One row per key, without its value. */
  keys: {
    id: string;
    account_id: string;
    kind: 'public' | 'private';
    mode: Mode;
    name: string | null;
    /** Hosts in the form that `normaliseHost` returns. */
    trusted_domains: Generated<string[]>;
    trusted_ips: Generated<string[]>;
    captcha_provider: 'turnstile' | 'hcaptcha' | 'recaptcha' | null;
    captcha_secret: StoredSecret | null;
    sealed_captcha_secret: Generated<StoredSecret | null>;
    siteverify_url: string | null;
    /** How many credits a live public key may spend in a day (UTC). Null for any number. */
    daily_credits: Generated<number | null>;
    created_at: CreatedAt;
    revoked_at: Date | null;
    /** The approximate time of the latest admitted request with it. */
    last_used_at: Generated<Date | null>;
    /** The id of the person who has made it on a page. Null for what a program or an operator has made. */
    made_by: Generated<string | null>;
  };

  /** The values of the keys, as digests. A rolled key has several until the old ones expire. */
  key_values: {
    /** SHA-256 of the key. */
    digest: Buffer;
    key_id: string;
    last4: string;
    created_at: CreatedAt;
    /** Null for the current value of the key. */
    expires_at: Date | null;
  };

  /** The credits that a live public key has spent on its latest day. */
  key_spending: {
    key_id: string;
    account_id: string;
    /** In UTC. */
    day: ColumnType<Date, Date | string, Date | string>;
    spent: number;
  };

  /** One row per service process, for people. `is_process_alive()` says whether it is alive. */
  processes: {
    id: string;
    /** Where it runs. Null for a process of an earlier release, which has no lock. */
    host: Generated<string | null>;
    pid: Generated<number | null>;
    started_at: CreatedAt;
    /** Its last heartbeat. */
    alive_at: Generated<Date>;
    /** When another process noticed that it is silent. Its next heartbeat takes it away. */
    suspected_at: Generated<Date | null>;
  };

  /**
   * Running live verifications, and results that are kept for requests that joined or got a 249. A question has at most
   * one running or promised row.
   */
  verifications: {
    id: string;
    account_id: string;
    /** SHA-256 of the account, the email address and the options. */
    question: Buffer;
    /** The process that runs the verification. */
    process_id: string;
    /** The public key that spent the credit. Null for a private key or an app. */
    key_id: Generated<string | null>;
    state: 'running' | 'kept';
    /** Whether other requests wait for the result. */
    is_joined: Generated<boolean>;
    /** Whether a request got a 249. Then the same question is free until `expires_at`. */
    is_promised: Generated<boolean>;
    started_at: CreatedAt;
    expires_at: Date;
    /** Encrypted with a key that is derived from the question. Null while the verification runs. */
    outcome: Buffer | null;
  };

  /** The keys that sign proofs. `proof/proof-keys.ts` draws their states. */
  proof_keys: {
    /** The thumbprint of the public key. */
    id: string;
    /** The public point. */
    x: string;
    y: string;
    /** The private number. One of the two is null. */
    private_key: StoredSecret | null;
    sealed_private_key: StoredSecret | null;
    /** The longest time that a proof of it is valid, in any process. */
    proof_seconds: number;
    made_at: Date;
    /** Until the next one signs. */
    signs_from: Date;
  };

  /** Results that a visitor of a public key may ask for again, free of charge. */
  renewable_results: {
    /** SHA-256 of the question, the key and the visitor's network. */
    id: Buffer;
    account_id: string;
    /** SHA-256 of the account, the email address and the options. */
    question: Buffer;
    /** Encrypted with a key that is derived from the question, the key and the visitor's network. */
    outcome: Buffer;
    expires_at: Date;
  };

  /**
   * The requests of the current second, per endpoint: of an account's private keys and apps, or of a public key. Not
   * crash-safe, because a second is soon over.
   */
  rates: {
    /** Or the id of a public key. */
    account_id: string;
    endpoint: string;
    started_at: Date;
    count: number;
  };

  /** What a network does that has a limit, such as sending unknown keys. */
  network_counts: {
    name: string;
    /** An IP address or IPv6 prefix. */
    network: string;
    count: number;
    /** When the count ends, or the refusals if it is over the limit. */
    ends_at: Date;
  };

  /** The addresses that a client has verified in a day with a live public key, as digests. */
  visitors: {
    key_id: string;
    day: ColumnType<Date, Date | string, Date | string>;
    /** The client's IP address or IPv6 prefix. */
    network: string;
    addresses: Buffer[];
  };

  /** Responses that are repeated for the same `Idempotency-Key`. */
  idempotency: {
    account_id: string;
    mode: Mode;
    route: '/v1/verify' | '/v1/batch';
    key: string;
    /** SHA-256 of the endpoint and the body. */
    request: Buffer;
    /** Null while the first request runs. */
    status: number | null;
    body: string | null;
    process_id: string;
    created_at: CreatedAt;
  };

  /** One row per batch. It stays after its addresses are deleted. */
  batches: {
    /** 24 hexadecimal digits. */
    id: string;
    /** Null for a deleted batch, which only the housekeeping reads. */
    account_id: ColumnType<string, string, string | null>;
    mode: Mode;
    /** How many entries were sent, and how many of them differ. */
    total: number;
    distinct_total: number;
    /** The fields of each result. Null for all. */
    response_fields: string[] | null;
    /** Whether results that may be temporary are tried again. */
    retries: boolean;
    /** Whether it costs no credits, and gives none back: a sample that the operator gives away. */
    is_free: Generated<boolean>;
    /** Whether it asks which domains accept every address. Null for the config's value. */
    accept_all: Generated<boolean | null>;
    /** Where the callback goes. */
    url: string | null;
    created_at: CreatedAt;
    paused_at: Date | null;
    /** When it was resumed last. */
    resumed_at: Date | null;
    completed_at: Date | null;
    /** When the results are deleted. Null until the batch is completed. */
    expires_at: Date | null;
    /** When the addresses were deleted. */
    emptied_at: Date | null;
    /** How many distinct addresses have each reason. Null until the batch is completed. */
    reason_counts: ColumnType<Partial<Record<Reason, number>> | null, string | null, string | null>;
    /** How many of them are risky because their domain accepts every address. */
    accept_all_results: Generated<number | null>;
    /** If it was stopped before every address had a result: how many entries had one. Null for all others. */
    stopped_after: Generated<number | null>;
    /** The name of a large batch's download. Null if the results are in the response. */
    download_name: string | null;
    /** The owner's name for it, usually the name of a file. */
    name: Generated<string | null>;
    /** What it counts for in `batch_storage` while its addresses are kept. */
    stored_entries: Generated<number>;
    /** The id of the person who has made it on a page. Null for what a program or an operator has made. */
    made_by: Generated<string | null>;
  };

  /** The distinct addresses of the batches, and their results. */
  batch_rows: {
    batch_id: string;
    /** The order in which they were sent, from 0. */
    place: number;
    /** A JSON string, because text cannot hold every character that a client can send. */
    address: ColumnType<string, string, never>;
    /** How many more entries are equal to it. */
    duplicates: Generated<number>;
    /** Its number among the addresses of its domain. */
    turn: Generated<number>;
    /** The process that verifies it now. */
    process_id: string | null;
    /** Grows each time that a process claims it. */
    attempt: Generated<number>;
    /** The attempt in which its verification began last. Lower than `attempt` for one that is only claimed. */
    begun: Generated<number>;
    /** How many processes died while they verified it. Then it is verified alone, and after three deaths no more. */
    deaths: Generated<number>;
    /** How often it was postponed because its result may have been temporary. */
    tries: Generated<number>;
    /** When it is tried again. One with deaths always waits for a time, which may be over. */
    due_at: Date | null;
    /** Null until it is verified. */
    reason: Reason | null;
    result: ColumnType<Omit<VerificationResult, 'duration'> | null, string | null, string | null>;
  };

  /** The callback of a completed batch. It waits, is being sent, was delivered, or was given up. */
  callbacks: WebhookColumns & {
    batch_id: string;
    /**
     * The account of the batch. A trigger sets it. By another name than there, because statements of earlier versions join
     * both tables.
     */
    owner_id: ColumnType<string, never, never>;
    /** The URL of the batch, as a digest with its account. The trigger sets it too. */
    receiver: ColumnType<string, never, never>;
    /** When the batch was completed. The trigger sets it too. */
    made_at: ColumnType<Date, never, never>;
    /** Whether it can be claimed once it is due. Only then it is in the queue of its account and its receiver. */
    is_ready: Generated<boolean>;
    /** Whether the results of the batch are there. A trigger on `batches` ends it. */
    has_results: ColumnType<boolean, never, never>;
    /** The header `webhook-id`, the same for every try. */
    message_id: string;
  };

  /** The outcome of each try of a callback, for the owner. */
  callback_tries: {
    batch_id: string;
    /** The callback's `attempt`. */
    number: number;
    at: Date;
    /** Null without a response. */
    status: number | null;
    /** A sentence for the owner. Null for a 200. */
    error: string | null;
    /** Null for a try whose process died. */
    duration_ms: number | null;
  };

  /** How many addresses have each reason so far. A trigger on `batch_rows` writes it, in the transaction of the result. */
  batch_progress: {
    batch_id: string;
    /** The connection to the database that wrote the results. Each one has rows of its own. */
    connection: number;
    reason: Reason;
    count: number;
    /** How many entries are equal to them. */
    duplicates: number;
    /** How many of them are risky because their domain accepts every address. */
    accept_all_results: Generated<number>;
    /** Whether no worker has looked since it changed. */
    is_new: Generated<boolean>;
  };

  /** When accounts had their last turns. It stays, so that an account that comes again does not pass others. */
  account_turns: {
    account_id: string;
    mode: Mode;
    /** The number of its last turn. Accounts with lower ones come first. */
    last: Generated<number>;
    /** Whether it has rows in `batch_turns`. */
    is_waiting: Generated<boolean>;
    /** How often batches were queued. */
    changes: Generated<number>;
  };

  /** The batches with addresses that are ready. Triggers insert them, workers delete them. */
  batch_turns: {
    batch_id: string;
    account_id: string;
    mode: Mode;
    /** As of an account, among the batches of the account. */
    last: Generated<number>;
    changes: Generated<number>;
  };

  /** The progress of each open batch during the last minutes. Each process adds to it, about every 15 seconds. */
  batch_marks: {
    batch_id: string;
    at: Date;
    /** Entries with a result. */
    processed: number;
  };

  /** What the batches of an account store. A trigger counts what they no longer store. */
  batch_storage: {
    account_id: string;
    mode: Mode;
    /** The entries of batches whose addresses are kept. */
    entries: number;
    /** The batches that are not completed. */
    open_batches: number;
    /** The day (UTC) of `made_on_day`. Null before the first batch of this version. */
    day: Generated<Date | null>;
    /** How many batches were made on that day, also those that are deleted. */
    made_on_day: Generated<number>;
  };

  /** The recent use of an organisation's mail servers. One row per organisation. */
  paces: {
    organisation: string;
    /** The seconds since 1970 in which conversations began, oldest first, and how many began in each. */
    seconds: Generated<number[]>;
    counts: Generated<number[]>;
    /** How many "slow down" replies were counted in total. */
    slow_downs: Generated<number>;
    /** Pauses in a row. */
    pauses: Generated<number>;
    /** Null without pauses. */
    paused_until: Date | null;
    used_at: Generated<Date>;
    /** No conversation with it began before. Null if that is not known. */
    oldest: Generated<Date | null>;
  };

  /** Current conversations with mail servers. Those of dead processes do not count. */
  conversations: {
    id: string;
    organisation: string;
    process_id: string;
    /** The organisation's `slow_downs` when it began. */
    begun_after: number;
    begun_at: Date;
  };

  /** What processes of earlier releases wait for. Only `pace_organisation` uses it. */
  conversation_queues: {
    organisation: string;
    process_id: string;
    /** When the first one in the process came. */
    since: Date;
    /** Whether all of them are in the background. */
    in_background: Generated<boolean>;
    /** When the process last asked. Others do not wait for a process that has stopped asking. */
    seen_at: Date;
  };

  /** Processes that wait for an organisation, so that each gets its turn. */
  conversation_waits: {
    organisation: string;
    process_id: string;
    /** When the first one in the process came. */
    since: Date;
    /** Whether all of them are in the background. */
    in_background: boolean;
    /** When the process last asked. Others do not wait for a process that has stopped asking. */
    seen_at: Date;
  };

  /** Whether the mail servers of a domain accept every address. While a conversation asks, the row is its claim. */
  domain_facts: {
    /** In its ASCII form. */
    domain: string;
    /** Who runs its mail servers. */
    organisation: string;
    /** The process whose conversation asks. Null if there is an answer. */
    process_id: string | null;
    /** Another one for each claim. */
    claim_id: string | null;
    /** When the answer came. Null while a conversation asks. */
    learnt_at: Date | null;
    /** Null for an answer that says nothing about it. */
    accepts_all: boolean | null;
    /** The mail server that answered, and the code of its reply. */
    server: string | null;
    code: number | null;
    /** When the claim ends, or the answer counts no more. */
    until: Date;
  };

  /** Who has ever had a client id. Rows are never deleted, not even with the account. */
  client_ids: { client_id: string; account_id: string };

  /** One row per OAuth app. */
  apps: {
    client_id: string;
    /** The account that made the app. */
    account_id: string;
    name: string;
    /** SHA-256 of the client secret. Null for a public app. */
    secret: Buffer | null;
    /** Whether the app may use the device flow. */
    allows_device: boolean;
    created_at: CreatedAt;
    /** The old secret from before the latest roll. It also works until its end. */
    former_secret: Generated<Buffer | null>;
    former_secret_until: Generated<Date | null>;
  };

  /** The redirect URIs of apps. An app without one may not use the code flow. */
  app_redirect_uris: { client_id: string; uri: string };

  /** Authorization codes that have not been used. */
  authorization_codes: {
    /** SHA-256 of the code. */
    digest: Buffer;
    client_id: string;
    account_id: string;
    redirect_uri: string;
    /** The redirect URI that the app sent, if its port is another one. */
    sent_uri: Generated<string | null>;
    /** The PKCE challenge in its S256 form. Null if the app sent none. */
    challenge: string | null;
    expires_at: Date;
    /** The person of the account who allowed it, with whose membership it ends. Null if the version before made it. */
    person_id: Generated<string | null>;
  };

  /** One row per grant of an account to an app, with its current pair of tokens. */
  token_families: {
    /** SHA-256 of the common start of all refresh tokens of the family. */
    handle: Buffer;
    client_id: string;
    account_id: string;
    /** SHA-256 of the authorization code that it came from. Null for a device. */
    code: Buffer | null;
    /** SHA-256 of the present refresh token. */
    refresh_token: Buffer;
    /** SHA-256 of the present access token. */
    access_token: Buffer;
    access_expires_at: Date;
    created_at: CreatedAt;
    /** When the present pair was issued. */
    issued_at: Generated<Date>;
    /** The person of the account who allowed it, with whose membership it ends. Null if the version before made it. */
    person_id: Generated<string | null>;
  };

  /** Devices that wait for their tokens. */
  device_requests: {
    /** SHA-256 of the device code. */
    device_code: Buffer;
    /** SHA-256 of the eight letters. */
    user_code: Buffer;
    client_id: string;
    state: Generated<'pending' | 'allowed' | 'denied'>;
    /** The account that allowed it. */
    account_id: string | null;
    /** The shortest pause between two polls. It grows with each poll that comes too early. */
    interval_seconds: number;
    polled_at: Date | null;
    expires_at: Date;
    /** The person of the account who allowed it, with whose membership it ends. Null if the version before made it. */
    person_id: Generated<string | null>;
  };

  /** Those who sign in. */
  persons: {
    id: string;
    email: string;
    /** The email address in lower case. It is unique. */
    email_key: string;
    /** Null for a person who signs in in another way. */
    password_hash: string | null;
    created_at: CreatedAt;
  };

  /** What a person may do in an account. */
  members: {
    account_id: string;
    person_id: string;
    role: 'owner' | 'admin' | 'member' | 'viewer';
    created_at: CreatedAt;
  };

  /** Authenticator apps. A person has one, and may be about to set up another. */
  authenticator_apps: {
    id: string;
    person_id: string;
    /** The key of the codes (RFC 6238), in Base32. */
    secret: StoredSecret | null;
    /** One of the two is null. `Secrets` explains why there are two. */
    sealed_secret: Generated<StoredSecret | null>;
    /** The time step of the last accepted code. Null until the set-up is confirmed. */
    last_step: number | null;
    created_at: CreatedAt;
    confirmed_at: Date | null;
  };

  /** Passkeys, by the id of the credential. */
  passkeys: {
    id: string;
    person_id: string;
    /** The COSE key. */
    public_key: Buffer;
    /** How often it has signed, if it counts that. */
    counter: number;
    /** How browsers reach it, such as `usb`. */
    transports: string[];
    /** Given by the person. */
    name: string;
    created_at: CreatedAt;
    used_at: Date | null;
    /** When the last challenge was made that it has signed. */
    challenged_at: Date;
  };

  /** One row: the key that signs the challenges of passkeys. */
  challenge_keys: { id: Generated<boolean>; key: Buffer };

  /** Recovery codes that were not used. */
  recovery_codes: {
    /** SHA-256 of the code. */
    digest: Buffer;
    person_id: string;
    created_at: CreatedAt;
  };

  /** Sign-ins with the right password that wait for the second factor. */
  half_sign_ins: {
    /** SHA-256 of the cookie's value. */
    id: Buffer;
    person_id: string;
    /** SHA-256 of the stored hash that the password was checked against. */
    password_digest: Buffer;
    /** Where the sign-in leads. Null for the dashboard. */
    return_to: string | null;
    created_at: CreatedAt;
    expires_at: Date;
  };

  /** One row per open invitation to an account. */
  invitations: {
    id: string;
    account_id: string;
    /** Whom it is for. Nobody with another address can accept it. */
    email: string;
    /** The email address in lower case. An account has one invitation for it at most. */
    email_key: string;
    role: Schema['members']['role'];
    /** SHA-256 of the secret in the link. */
    digest: Buffer;
    /** The person who made it. */
    inviter_id: string;
    created_at: CreatedAt;
    expires_at: Date;
  };

  /** One row per link of the operator that lets a person in and was not used. */
  sign_in_links: {
    person_id: string;
    /** SHA-256 of the secret in the link. */
    digest: Buffer;
    created_at: CreatedAt;
    expires_at: Date;
  };

  /** One row per session of a signed-in person. */
  sessions: {
    /** SHA-256 of the cookie's value. */
    id: Buffer;
    /** The chosen account where the person owns it, for the version before, which gives every session all rights. */
    account_id: string | null;
    person_id: Generated<string | null>;
    /** The account whose pages the person sees. Null for the first one. */
    chosen_account_id: Generated<string | null>;
    created_at: CreatedAt;
    expires_at: Date;
    /** The browser's user agent at the sign-in, cut to 400 characters. */
    user_agent: Generated<string | null>;
    /** About when it was used last. */
    seen_at: Generated<Date>;
    /** When the person last proved in it who they are. */
    authenticated_at: Generated<Date>;
    /** The network of the sign-in: an IPv4 address, or the first half of an IPv6 address. */
    network: Generated<string | null>;
    /** The browser in `known_browsers`. */
    browser_id: Generated<Buffer | null>;
    /** When it ends if the person does nothing in it. Null until the first use after an upgrade. */
    idle_at: Generated<Date | null>;
  };

  /** Whom an OpenID provider vouches for. A person has one identity at a provider. */
  identities: {
    issuer: string;
    /** The claim `sub`, which never changes. Addresses do. */
    subject: string;
    person_id: string;
    created_at: CreatedAt;
  };

  /** Sign-ins and confirmations that have begun at the provider. Each is used once, by the browser that began it. */
  provider_requests: {
    /** SHA-256 of the parameter `state`. */
    state: Buffer;
    /** SHA-256 of the cookie's value. */
    browser: Buffer;
    /** Who confirms the session. Null for a sign-in. */
    person_id: string | null;
    return_to: string | null;
    /** The fields of a form that waits for the confirmation. The browser's cookie has the key. */
    sealed: Buffer | null;
    begun_at: CreatedAt;
    expires_at: Date;
  };

  /** Which session of the provider a session comes from. A sign-out there ends it. */
  provider_sessions: {
    session_id: Buffer;
    issuer: string;
    subject: string;
    /** The provider's name of its session. Null if it has told none. */
    sid: string | null;
  };

  /** The logout tokens that have ended sessions. Each counts once. */
  logout_tokens: {
    /** SHA-256 of its issuer and its id. */
    id: Buffer;
    expires_at: Date;
  };

  /** The browsers in which a person has signed in. */
  known_browsers: {
    person_id: string;
    /** SHA-256 of a cookie's value. */
    id: Buffer;
    /** As in `sessions`, of the latest sign-in. */
    user_agent: string | null;
    network: string | null;
    created_at: CreatedAt;
    /** The latest sign-in. */
    used_at: Generated<Date>;
  };

  /** What has changed of a person's ways in and accounts. */
  person_events: {
    id: GeneratedAlways<number>;
    person_id: string;
    /** A `PersonEvent`. */
    event: string;
    /** What it is about, such as the address of an account. */
    subject: string | null;
    actor_kind: string;
    actor_name: string | null;
    created_at: CreatedAt;
    /** When the person dismissed the notice of it. */
    dismissed_at: Date | null;
  };

  /** Wrong guesses at passwords and codes. A row is deleted after a while without guesses. */
  guesses: {
    /** SHA-256 of the subject of the guesses, such as an IP address. */
    subject: Buffer;
    wrong: number;
    /** No guess is taken before. Null while there were few. */
    paused_until: Date | null;
    guessed_at: Generated<Date>;
  };

  /** The audit log: changes of keys, apps, batches and settings, with their actors. Rows are never updated. */
  audit: {
    id: GeneratedAlways<number>;
    account_id: string;
    at: CreatedAt;
    /**
     * `owner`: in the dashboard. `operator`: by the admin command. `service`: by its housekeeping. `key` and `app`: by a
     * request with that credential.
     */
    actor: 'owner' | 'operator' | 'service' | 'key' | 'app';
    /** Of a key or an app. */
    actor_id: string | null;
    /** As it was then. */
    actor_name: string;
    /** `key.create` and the like. */
    action: string;
    subject_id: string | null;
    /** As it was then. */
    subject_name: string | null;
    details: ColumnType<Readonly<Record<string, unknown>>, string | undefined, never>;
  };

  /** How many results an account got on a day (UTC). They are counted in the transaction that stores them. */
  daily_results: {
    account_id: string;
    day: ColumnType<string, Date | string, never>;
    source: 'verify' | 'batch';
    mode: Mode;
    reason: Reason;
    count: number;
    /** How many of them gave their credit back when they were stored. Those of batches do so at the completion. */
    refunded: Generated<number>;
  };

  /**
   * What the counts by day have beyond the batches and the ledger that are there: results of deleted batches and of test
   * keys. Forgotten days count below zero.
   */
  unproved_results: { account_id: string; source: 'verify' | 'batch'; mode: Mode; count: number };

  /** The audit of the books that runs once a night: one row. The first audit inserts it, or the migration. */
  book_audit: {
    id: Generated<boolean>;
    /** When the next audit begins. */
    due_at: Date;
    /** When the one under way began, and the last account that it has looked at. */
    begun_at: Date | null;
    after_account: string | null;
    /** The first differences that it has found, and how many there are. */
    found: ColumnType<Difference[], string | undefined, string>;
    found_count: Generated<number>;
    /** When the latest whole audit ended, and what it found. */
    ended_at: Date | null;
    differences: ColumnType<Difference[] | null, string | null | undefined, string | null>;
    difference_count: number | null;
    /** Accounts from before this have counts that were not written with the results. Null once an audit has taken them over. */
    proves_since: Date | null;
  };

  /** Where a key was refused lately. Only the latest 20 of each key are kept. */
  key_refusals: {
    key_id: string;
    reason: 'origin' | 'ip' | 'captcha';
    /** The page's origin, or the client's IP address. Empty if the request had none. */
    seen_from: string;
    count: number;
    first_at: Date;
    last_at: Date;
  };

  /** Lists that people have uploaded: drafts, and the own columns of batches. */
  lists: {
    /** The size of its rows as JSON. */
    bytes: Generated<number>;
    /** 24 hexadecimal digits. */
    id: string;
    /** Null for a list of a deleted batch or account, which only the housekeeping reads. */
    account_id: ColumnType<string, string, string | null>;
    /** Null for a draft. */
    batch_id: string | null;
    /** The name of the file. */
    name: string;
    /** The titles of the columns. Null if the first row holds data. */
    header: ColumnType<readonly string[] | null, string | null, string | null>;
    columns: number;
    /** Without the header. */
    row_count: number;
    /** The column of the addresses, from 0. For a draft it is a guess. */
    address_column: number;
    /** All columns of the addresses, if a row may have several. Null for a draft, and if it has one at most. */
    address_columns: Generated<readonly number[] | null>;
    /** The rows without anything in that column. Null for a draft, and for a batch that an earlier version has begun. */
    blank_rows: Generated<number | null>;
    /** The rows that were emptied, because the owner has erased an address. */
    erased_rows: Generated<number>;
    /** Shared by the drafts of the sheets of one workbook. The id of the one that is probably meant. */
    upload_id: Generated<string | null>;
    /** The batch that verifies a sample of the list. Null without one. */
    sample_id: Generated<string | null>;
    /** The reader's `Findings` (`lists/list-store.ts`). */
    findings: ColumnType<unknown, string | undefined, string>;
    created_at: ColumnType<Date, Date | undefined, Date>;
    /** When a draft can no longer be started. Null if an earlier version has stored it: an hour after `created_at`. */
    ends_at: Generated<Date | null>;
    /** The id of the person who has made it on a page. Null for what a program or an operator has made. */
    made_by: Generated<string | null>;
  };

  /** The rows of a list, in the order of the file. */
  list_rows: {
    list_id: string;
    number: number;
    /** Texts. A row may have fewer than the list has columns. */
    cells: ColumnType<readonly string[], string, string>;
    /** Which address of the batch it has. Null for a draft, and for a row without an address. */
    place: number | null;
    /** True if the spreadsheet hides the row, as a filter does. Null otherwise. */
    is_hidden: Generated<boolean | null>;
    /** All addresses that it has, if it may have several: those of each column. Null where a cell has fewer than others. */
    places: ColumnType<readonly (readonly (number | null)[])[] | null, null | undefined, null>;
    /**
     * The values of a workbook's row, by column: numbers and booleans, or null for a text. If a cell has a format of its
     * own, an array with the value and the place of the format. Null without any.
     */
    numbers: ColumnType<readonly unknown[] | null, string | null | undefined, string | null>;
    /** Its number in the file, from 1. Null if that is `number + 1`, or if an earlier version has stored it. */
    file_row: Generated<number | null>;
  };

  /**
   * The file of a draft whose encoding is a guess, so that its owner can choose another one, or a workbook that comes back
   * with its other sheets. In pieces of a MiB.
   */
  list_files: { list_id: string; number: number; bytes: Buffer };
}
