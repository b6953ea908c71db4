/** `domain …`: what is known of a domain. */
import { toAsciiDomain } from '../../engine/address/domain.ts';
import { forgetFact, readFacts } from '../../service/verify/domains/domain-facts-store.ts';
import { type Command, defineCommand } from '../command.ts';
import { flag, required } from '../flags.ts';
import { timeJson } from './time-json.ts';

const DESCRIPTION = 'The domain, as in an email address after the at sign.';
const readDomain = (value: string) => toAsciiDomain(value.trim());
const MAIL_DOMAIN = required(flag('DOMAIN', DESCRIPTION, 'a domain such as example.com', readDomain));

export const DOMAIN: readonly Command[] = [
  defineCommand({
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
  }),
  defineCommand({
    words: ['domain', 'forget'],
    description:
      'Forgets whether a domain accepts every address, so that the next verification that wants to know it asks again.',
    flags: { domain: MAIL_DOMAIN },
    example: 'domain forget --domain example.com',
    run: async ({ db }, { domain }) => ({ domain, forgotten: await forgetFact(db, domain) }),
  }),
];
