/** `lists update`: puts a list from the web in the place of an operator's list. */
import { join } from 'node:path';
import type { ListName } from '../../../engine/facts/facts.ts';
import { loadPublishedLists } from '../../../engine/facts/lists.ts';
import { packagedEntries, parseList } from '../../../engine/facts/operator-lists.ts';
import { UsageError } from '../../../service/core/usage-error.ts';
import { atOnce } from '../../../shared/steps.ts';
import { defineCommand } from '../../command.ts';
import { httpsUrl, oneOf, required, toggle } from '../../flags.ts';
import { checkList } from './check-list.ts';
import { fetchList } from './fetch-list.ts';
import { readOldList, swapList } from './swap-list.ts';

/** All but `allow.txt`, which is the operator's own word against the others. */
const UPDATED = ['disposable', 'free', 'role', 'block', 'disposable-mx', 'block-mx'] as const;

export const listsUpdate = defineCommand({
  words: ['lists', 'update'],
  description:
    'Fetches a list over https, and puts it in the place of a file in live.listsFolder. The old file stays beside it, with the ending .previous. Running services read the list within a second. If the list cannot be right, the old one stays, and the exit code is 1.',
  flags: {
    from: required(httpsUrl('The URL of the list: one entry on each line.')),
    file: oneOf(UPDATED, 'Which list it is. The default is disposable.'),
    force: toggle('Takes a list that has shrunk by more than a tenth.'),
  },
  example: 'lists update --from https://lists.example/disposable.txt',
  async runWithout({ live }, { from, file: list = 'disposable', force = false }) {
    const folder = live?.listsFolder;
    if (folder === undefined) {
      throw new UsageError(
        'Expected live.listsFolder in the config, got none. Add the folder of your lists.',
      );
    }
    const bytes = await fetchList(from);
    const before = await countOld(folder, list);
    const entries = checkList(bytes, { list, before, force });
    const changed = await swapList(folder, list, bytes);
    return { file: join(folder, `${list}.txt`), entries, before, changed };
  },
});

/** The first time, the packaged list is the old one. */
async function countOld(folder: string, list: ListName): Promise<number> {
  const old = await readOldList(folder, list);
  if (!old) return packagedEntries(loadPublishedLists(), list).size;
  return atOnce(parseList(old.toString(), list, () => {})).added.size;
}
