/** `doctor`: finds what prevents live verification, and gives advice. */
import { type Finding, finding } from '../../../engine/doctor/finding.ts';
import { DatabaseError } from '../../../service/database/database-error.ts';
import type { DatabaseLocation } from '../../../service/database/database-location.ts';
import { unreachable } from '../../../service/database/prepare-database.ts';
import { isUnavailable } from '../../../service/database/unavailable.ts';
import { defineCommand } from '../../command.ts';
import { openForCommand } from '../../open.ts';
import { needLive } from '../../settings.ts';
import { examineDatabase, examineOutside, isWell } from './examine.ts';

const PATIENCE_MS = 15_000;

export const doctor = defineCommand({
  words: ['doctor'],
  description:
    'Checks what live verification needs, and says what to do: port 25, names in the DNS, the sender, block lists, the database and its clock.',
  flags: {},
  example: 'doctor',
  async runWithout({ live, database }) {
    const [outside, inside] = await Promise.all([
      examineOutside(needLive(live)),
      database ? lookAtDatabase(database) : [noDatabase()],
    ]);
    const findings = [...outside, ...inside];
    return { ok: findings.every(isWell), findings: findings.map((found) => ({ ...found })) };
  },
});

const noDatabase = () => {
  const text = 'The config names no database, so there are no accounts and no live keys.';
  return finding('database', 'problem', text, 'Set "database" in the config, or DATABASE_URL.');
};

async function lookAtDatabase(location: DatabaseLocation): Promise<readonly Finding[]> {
  let what = '';
  try {
    const database = await openForCommand(location, PATIENCE_MS, 'tolerate');
    what = database.what;
    try {
      return await examineDatabase(database.db, what);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError || isUnavailable(error))) throw error;
    const text = (error instanceof DatabaseError ? error : unreachable(error, what)).message;
    return [finding('database', 'problem', text, 'Start the database, or correct "database" in the config.')];
  }
}
