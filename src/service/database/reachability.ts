/** Checks at short intervals whether the server can be reached and takes changes, on a separate connection. */
import pg from 'pg';
import { connectionOptions, limitSession, type Server } from './connection.ts';
import { ReadOnlyError } from './unavailable.ts';

/** How often the server is checked. */
export interface Pace {
  /** The pause between two checks. */
  readonly everyMs: number;
  /** A server that takes longer counts as unreachable. */
  readonly patienceMs: number;
}

/** An outage is noticed within 4 seconds. */
export const PACE: Pace = { everyMs: 1_000, patienceMs: 2_500 };

/** A running check. */
export interface Heartbeat {
  /** Checks now instead of after the pause. */
  check(): void;
  /** Stops checking and closes the connection. */
  stop(): void;
}

/** The listener of the checks. One of its functions is called after each check. */
export interface HeartbeatListener {
  onThere(): void;
  onAway(error: unknown): void;
}

/** Starts checking. A full pool does not delay the checks, because they have their own connection. */
export function startHeartbeat(
  server: Server,
  listener: HeartbeatListener,
  { everyMs, patienceMs }: Pace = PACE,
): Heartbeat {
  const limits = { connectionTimeoutMillis: patienceMs, query_timeout: patienceMs };
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checking = false;
  let again = false;
  let stopped = false;

  const discard = (which: pg.Client | undefined) => {
    if (client === which) client = undefined;
    void which?.end().catch(() => {});
  };
  const connect = async (): Promise<pg.Client> => {
    const fresh = new pg.Client(connectionOptions(server, limits));
    client = fresh;
    // If the connection breaks between two checks, the next check must come at once.
    fresh.on('error', () => {
      if (client === fresh && !checking) check();
    });
    await fresh.connect();
    limitSession(fresh);
    return fresh;
  };
  const check = () => {
    if (stopped) return;
    // A running check may have started before the fault that it should find.
    if (checking) again = true;
    else void beat();
  };
  const beat = async () => {
    clearTimeout(timer);
    checking = true;
    again = false;
    const before = client;
    try {
      await ask(client ?? (await connect()));
      if (!stopped) listener.onThere();
    } catch (error) {
      discard(client);
      // An operator may have ended the connection. Only a new one proves that the server cannot be reached.
      if (before && !isTimeout(error)) again = true;
      else if (!stopped) listener.onAway(error);
    }
    checking = false;
    if (stopped) discard(client);
    else if (again) void beat();
    else timer = setTimeout(beat, everyMs);
  };
  void beat();
  return {
    check,
    stop() {
      stopped = true;
      clearTimeout(timer);
      if (!checking) discard(client);
    },
  };
}

/** A standby answers reads, but the service can do nothing with it. */
async function ask(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select current_setting('transaction_read_only') as read_only");
  if (rows[0].read_only === 'on') throw new ReadOnlyError('The database is read-only.');
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
