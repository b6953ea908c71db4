/** `domain show`: what is known of a domain. */
import { readFacts } from '../../../service/verify/domains/domain-facts-store.ts';
import { defineCommand } from '../../command.ts';
import { timeJson } from '../batch/batch-json.ts';
import { MAIL_DOMAIN } from './domain-flag.ts';

export const domainShow = defineCommand({
  words: ['domain', 'show'],
  description:
    'Shows whether a domain accepts every address, since when this is known, by which reply, and until when it counts. accept_all is null if the servers were asked in vain, or nobody has asked.',
  flags: { domain: MAIL_DOMAIN },
  example: 'domain show --domain example.com',
  async run({ db }, { domain }) {
    const [stored] = await readFacts(db, [domain]);
    const { acceptsAll = null, server = null, code = null, learntAt = null } = stored?.fact ?? {};
    return {
      ...{ domain, organisation: stored?.organisation ?? null, accept_all: acceptsAll },
      ...{ asked_now: stored?.isAsked ?? false, learnt_at: timeJson(learntAt) },
      ...{ server, code, until: timeJson(stored?.until ?? null) },
    };
  },
});
