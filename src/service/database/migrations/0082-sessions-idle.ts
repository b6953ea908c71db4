/** Finds the sessions that nobody has used for long. */
import { buildIndexes } from '../migration.ts';

export const sessionsIdle = buildIndexes({ sessions_by_idle_end: 'on sessions (idle_at)' });
