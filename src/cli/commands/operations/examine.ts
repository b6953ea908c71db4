/** What `doctor` and `status` find out about live verification. */
import { createResolver } from '../../../engine/dns/create-resolver.ts';
import { createDoctor } from '../../../engine/doctor/create-doctor.ts';
import { type Finding, finding } from '../../../engine/doctor/finding.ts';
import type { ListReport } from '../../../engine/facts/facts.ts';
import { loadPublishedLists } from '../../../engine/facts/lists.ts';
import { createEngineFacts } from '../../../engine/facts/operator-lists.ts';
import type { LiveSettings } from '../../../service/config/sections/live-section.ts';
import { figure, lasting } from '../../../service/core/format.ts';
import type { Db } from '../../../service/database/database.ts';
import { readServerClock } from '../../../service/database/database-clock.ts';
import { migrationsOf, sayOutdated } from '../../../service/database/migrate.ts';

/** Other programs refuse signatures and tokens after a few minutes of drift. Logs are confusing even before. */
const MOST_DRIFT_MS = 5000;

export const isWell = ({ status }: Finding): boolean => status === 'ok';

/** Checks the network, the names in the DNS and the lists. Takes some seconds. */
export async function examineOutside(live: LiveSettings): Promise<readonly Finding[]> {
  const faults: Finding[] = [];
  const lists = createEngineFacts(loadPublishedLists(), live.listsFolder, (file, message) =>
    faults.push(finding(file, 'warning', message, 'Correct the file. It is read again when it changes.')),
  ).reportLists();
  const resolver = createResolver({ servers: live.dns });
  try {
    const { findings } = await createDoctor(live, resolver).diagnose(live.blockLists);
    return [...findings, ...lists.map(describeList).filter((found) => found !== undefined), ...faults];
  } finally {
    resolver.close();
  }
}

/** Its age is no fault, because some lists never change. */
function describeList({ name, packaged, packagedAt, own }: ListReport): Finding | undefined {
  const ago = (at: Date) => `${lasting(at, new Date())} ago`;
  const parts = [
    ...(packagedAt ? [`${figure(packaged)} of the release, published ${ago(packagedAt)}`] : []),
    ...(own ? [`${figure(own.entries)} of your own, changed ${ago(own.changedAt)}`] : []),
  ];
  return parts.length === 0
    ? undefined
    : finding(`list ${name}`, 'ok', `The list has these entries: ${parts.join(', and ')}.`);
}

/** @param what the database in words */
export async function examineDatabase(db: Db, what: string): Promise<readonly Finding[]> {
  const before = Date.now();
  const theirs = await readServerClock(db);
  const drift = Math.max(before - theirs, theirs - Date.now(), 0);
  const differ = `The clocks of this machine and of the database differ by ${Math.round(drift / 1000)} s.`;
  const outdated = sayOutdated(await migrationsOf(db));
  return [
    finding('database', 'ok', `${what} answers.`),
    outdated === undefined
      ? finding('schema', 'ok', 'The database has the schema of this version.')
      : finding('schema', 'warning', outdated, 'Run migrate, or start this version.'),
    drift <= MOST_DRIFT_MS
      ? finding('clock', 'ok', 'The clocks of this machine and of the database agree.')
      : finding('clock', 'warning', differ, 'Synchronise both with NTP.'),
  ];
}
