/** `doctor`: finds what prevents live verification, and gives advice. */
import { createResolver } from '../../../engine/dns/create-resolver.ts';
import { createDoctor } from '../../../engine/doctor/create-doctor.ts';
import { type Finding, finding } from '../../../engine/doctor/finding.ts';
import type { ListReport } from '../../../engine/facts/facts.ts';
import { loadPublishedLists } from '../../../engine/facts/lists.ts';
import { createEngineFacts } from '../../../engine/facts/operator-lists.ts';
import type { LiveSettings } from '../../../service/config/sections/live-section.ts';
import { figure, lasting } from '../../../service/core/format.ts';
import { readServerClock } from '../../../service/database/database-clock.ts';
import { DatabaseError } from '../../../service/database/database-error.ts';
import type { DatabaseLocation } from '../../../service/database/database-location.ts';
import { migrationsOf, sayOutdated } from '../../../service/database/migrate.ts';
import { unreachable } from '../../../service/database/prepare-database.ts';
import { isUnavailable } from '../../../service/database/unavailable.ts';
import { defineCommand } from '../../command.ts';
import { openForCommand } from '../../open.ts';
import { needLive } from '../../settings.ts';

const PATIENCE_MS = 15_000;
/** Other programs refuse signatures and tokens after a few minutes of drift. Logs are confusing even before. */
const MOST_DRIFT_MS = 5000;

export const doctor = defineCommand({
  words: ['doctor'],
  description:
    'Checks what live verification needs, and says what to do: port 25, names in the DNS, the sender, block lists, the database and its clock.',
  flags: {},
  example: 'doctor',
  async runWithout({ live: configured, database }) {
    const live = needLive(configured);
    const lists: Finding[] = [];
    const [outside, inside] = await Promise.all([
      lookOutside(live, (file, message) =>
        lists.push(finding(file, 'warning', message, 'Correct the file. It is read again when it changes.')),
      ),
      database ? lookAtDatabase(database) : [noDatabase()],
    ]);
    const findings = [...outside, ...lists, ...inside];
    const ok = findings.every(({ status }) => status === 'ok');
    return { ok, findings: findings.map((found) => ({ ...found })) };
  },
});

async function lookOutside(
  live: LiveSettings,
  onListFault: (file: string, message: string) => void,
): Promise<readonly Finding[]> {
  const lists = createEngineFacts(loadPublishedLists(), live.listsFolder, onListFault).reportLists();
  const resolver = createResolver({ servers: live.dns });
  try {
    const { findings } = await createDoctor(live, resolver).diagnose(live.blockLists);
    return [...findings, ...lists.map(describeList).filter((found) => found !== undefined)];
  } finally {
    resolver.close();
  }
}

/** Its age is no fault, because some lists never change. */
function describeList({ name, packaged, own }: ListReport): Finding | undefined {
  const parts = [
    ...(packaged > 0 ? [`${figure(packaged)} of the release`] : []),
    ...(own ? [`${figure(own.entries)} of your own, changed ${lasting(own.changedAt, new Date())} ago`] : []),
  ];
  return parts.length === 0
    ? undefined
    : finding(`list ${name}`, 'ok', `The list has these entries: ${parts.join(', and ')}.`);
}

const noDatabase = () =>
  finding(
    'database',
    'problem',
    'The config names no database, so there are no accounts and no live keys.',
    'Set "database" in the config, or DATABASE_URL.',
  );

async function lookAtDatabase(location: DatabaseLocation): Promise<readonly Finding[]> {
  let what = '';
  try {
    const database = await openForCommand(location, PATIENCE_MS, 'tolerate');
    what = database.what;
    try {
      const before = Date.now();
      const theirs = await readServerClock(database.db);
      const drift = Math.max(before - theirs, theirs - Date.now(), 0);
      const outdated = sayOutdated(await migrationsOf(database.db));
      return [
        finding('database', 'ok', `${database.what} answers.`),
        outdated === undefined
          ? finding('schema', 'ok', 'The database has the schema of this version.')
          : finding('schema', 'warning', outdated, 'Run migrate, or start this version.'),
        drift <= MOST_DRIFT_MS
          ? finding('clock', 'ok', 'The clocks of this machine and of the database agree.')
          : finding(
              'clock',
              'warning',
              `The clocks of this machine and of the database differ by ${Math.round(drift / 1000)} s.`,
              'Synchronise both with NTP.',
            ),
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError || isUnavailable(error))) throw error;
    const text = (error instanceof DatabaseError ? error : unreachable(error, what)).message;
    return [finding('database', 'problem', text, 'Start the database, or correct "database" in the config.')];
  }
}
