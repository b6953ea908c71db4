/** A process for tests: it begins to ask about a domain, says so, and never ends. */
import { silentLog } from '../../../../src/service/core/log.ts';
import { createStoredDomainFacts } from '../../../../src/service/verify/domains/stored-domain-facts.ts';
import { openChild, write } from '../../support/child.ts';

const { db, processId } = await openChild(2);
const facts = createStoredDomainFacts({ db, processId, log: silentLog });
const domain = { name: 'company.example', organisation: 'host.example' };
const { kind } = await facts.claim(domain, new AbortController().signal);
write({ kind });
