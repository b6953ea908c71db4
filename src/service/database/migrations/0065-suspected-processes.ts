/** Finds the processes that seem to have stopped, without reading the versions of the others. */
import { buildIndexes } from '../migration.ts';

export const suspectedProcesses = buildIndexes({
  processes_suspected: 'on processes (suspected_at) where suspected_at is not null',
});
