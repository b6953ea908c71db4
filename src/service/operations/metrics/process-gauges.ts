/** The state of this process at a scrape. It is read without waiting. */
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { ListReport } from '../../../engine/facts/facts.ts';
import type { Role } from '../../config/sections/role-section.ts';
import type { PoolCounts } from '../../database/pool.ts';
import type { JobReport } from '../../jobs/job-monitor.ts';

/** The readable state of a process. Without a database, a service has only the first. */
export interface ProcessState {
  whyNotReady(): string | undefined;
  readonly database?: {
    isReady(): boolean;
    /** Undefined before the first connection. */
    poolCounts(): PoolCounts | undefined;
    jobs(): readonly JobReport[];
    /** Undefined without the section `live`. */
    isPortClosed(): boolean | undefined;
    /** None without the section `live`. */
    lists(): readonly ListReport[];
    /** Undefined in a process that does not work on batches. */
    addressesAtWork(): number | undefined;
  };
}

export function createProcessGauges(registry: Registry, role: Role, version: string) {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });

  gauge('evw_process_info', 'Always 1. The labels are the role and the version of the process.', [
    'role',
    'version',
  ]).set({ role, version }, 1);
  const ready = gauge('evw_ready', '1 if /readyz returns 200, 0 if it returns 503.');
  const up = gauge('evw_database_up', '1 if the process reaches its database, 0 if not.', []);
  const connections = gauge('evw_database_pool_connections', 'Connections of the pool, by state.', ['state']);
  const most = gauge('evw_database_pool_connections_max', 'The most connections that the pool may open.');
  const waiting = gauge('evw_database_pool_waiting', 'Queries that wait for a connection of the pool.');
  const errors = counter(
    'evw_database_query_errors_total',
    'Queries that failed. "away": the database could not be reached. "full": its disk is full. "limit": a time limit of the service ended them. "refused": other reasons, some of which are expected.',
    ['kind'],
  );
  // Not `job`, which Prometheus uses for the processes that it scrapes together.
  const lastSuccess = gauge(
    'evw_job_last_success_timestamp_seconds',
    'When a job last succeeded, in Unix time. 0 before the first time.',
    ['name'],
  );
  const runs = counter('evw_job_runs_total', 'Runs of jobs, by outcome.', ['name', 'outcome']);
  const port = gauge('evw_port_25_open', '0 if port 25 of this machine is closed for certain, otherwise 1.');
  const atWork = gauge('evw_batch_addresses_at_work', 'Addresses of batches that this process is verifying.');
  const listEntries = gauge(
    'evw_list_entries',
    'Entries of each list: "packaged" come with the release, "own" are in live.listsFolder.',
    ['list', 'origin'],
  );
  const listAge = gauge(
    'evw_list_age_seconds',
    'The age of each list: since a "packaged" one was published, and since an "own" one has changed.',
    ['list', 'origin'],
  );
  const ofDatabase = [
    ...[connections, most, waiting, errors, lastSuccess, runs, port, atWork],
    ...[listEntries, listAge],
  ];

  /** Sets a value, or removes it if it is undefined. */
  const set = (which: Gauge, value: number | undefined) => {
    if (value === undefined) which.remove();
    else which.set(value);
  };

  return {
    /** Reads the state. */
    read(state: ProcessState | undefined): void {
      ready.set(state && state.whyNotReady() === undefined ? 1 : 0);
      const database = state?.database;
      set(up, database && (database.isReady() ? 1 : 0));
      for (const metric of ofDatabase) metric.reset();
      const pool = database?.poolCounts();
      if (pool) {
        connections.set({ state: 'idle' }, pool.idle);
        connections.set({ state: 'busy' }, pool.open - pool.idle);
        for (const [kind, count] of Object.entries(pool.failed)) errors.inc({ kind }, count);
      }
      set(most, pool?.most);
      set(waiting, pool?.waiting);
      for (const { job: name, succeeded, failed, lastSuccessMs = 0 } of database?.jobs() ?? []) {
        lastSuccess.set({ name }, lastSuccessMs / 1000);
        runs.inc({ name, outcome: 'succeeded' }, succeeded);
        runs.inc({ name, outcome: 'failed' }, failed);
      }
      const isClosed = database?.isPortClosed();
      set(port, isClosed === undefined ? undefined : isClosed ? 0 : 1);
      set(atWork, database?.addressesAtWork());
      const ageOf = (at: Date) => Math.max(0, Date.now() - at.getTime()) / 1000;
      for (const { name: list, packaged, packagedAt, own } of database?.lists() ?? []) {
        listEntries.set({ list, origin: 'packaged' }, packaged);
        listEntries.set({ list, origin: 'own' }, own?.entries ?? 0);
        if (packagedAt) listAge.set({ list, origin: 'packaged' }, ageOf(packagedAt));
        if (own) listAge.set({ list, origin: 'own' }, ageOf(own.changedAt));
      }
    },
  };
}
