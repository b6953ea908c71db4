/** `survey`: shows what mail servers reply to names that exist and to names that do not. */
import { createEngine } from '../../../engine/engine.ts';
import { loadPublishedLists } from '../../../engine/facts/lists.ts';
import { createEngineFacts } from '../../../engine/facts/operator-lists.ts';
import { createMemoryPacing } from '../../../engine/pacing/memory-pacing.ts';
import { describeError } from '../../../service/core/log.ts';
import { defineCommand, type Json } from '../../command.ts';
import { required, textFile, toggle } from '../../flags.ts';
import { needLive } from '../../settings.ts';
import { type Change, compareSurveys, readSurvey } from './compare-surveys.ts';
import { readMailboxes } from './read-mailboxes.ts';
import { type Row, runSurvey } from './run-survey.ts';
import { showSurvey } from './show-survey.ts';

export const survey = defineCommand({
  words: ['survey'],
  description:
    'Asks mail servers about your own mailboxes and about a name at each of their domains that cannot exist. Prints a table of what they reply. It keeps to live.perHost, and sends no mail.',
  flags: {
    mailboxes: required(
      textFile(
        'A file with one of your addresses on each line. Write ",full" behind one whose mailbox is full.',
      ),
    ),
    json: toggle('Prints JSON, for --against.'),
    against: textFile('The JSON of an earlier survey. Shows what has changed since.'),
  },
  example: 'survey --mailboxes mailboxes.txt',
  async runWithout({ live: configured }, { mailboxes, against }, say) {
    const live = needLive(configured);
    const domains = readMailboxes(mailboxes);
    const before = against === undefined ? undefined : readSurvey(against);
    const engine = createEngine({
      options: live,
      // The operator's lists would end some questions before they are asked.
      facts: createEngineFacts(loadPublishedLists()),
      pacing: createMemoryPacing(),
      onFault: (error) => say(`A question failed: ${describeError(error).error}.`),
    });
    try {
      const providers = await runSurvey(domains, { engine, retries: live.greylistRetries, say });
      return toJson({ providers, ...(before && { changes: compareSurveys(before, providers) }) });
    } finally {
      await engine.close();
    }
  },
  toText(result, { json = false }) {
    const { providers, changes } = result as unknown as Survey;
    return json ? undefined : showSurvey(providers, changes);
  },
});

interface Survey {
  readonly providers: readonly Row[];
  readonly changes?: readonly Change[];
}

const toJson = (value: Survey) => value as unknown as Json;
