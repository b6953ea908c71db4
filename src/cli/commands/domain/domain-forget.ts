/** `domain forget`: forgets what is known of a domain. */
import { forgetFact } from '../../../service/verify/domains/domain-facts-store.ts';
import { defineCommand } from '../../command.ts';
import { MAIL_DOMAIN } from './domain-flag.ts';

export const domainForget = defineCommand({
  words: ['domain', 'forget'],
  description:
    'Forgets whether a domain accepts every address, so that the next verification that wants to know it asks again.',
  flags: { domain: MAIL_DOMAIN },
  example: 'domain forget --domain example.com',
  run: async ({ db }, { domain }) => ({ domain, forgotten: await forgetFact(db, domain) }),
});
