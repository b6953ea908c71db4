/** A process for tests: it begins a conversation, says so, and never ends it. */
import { silentLog } from '../../../../src/service/core/log.ts';
import { createStoredPacing } from '../../../../src/service/verify/pacing/stored-pacing.ts';
import { openChild, write } from '../../support/child.ts';

const { db, processId } = await openChild(2);
const pacing = createStoredPacing({ db, processId, log: silentLog });
const limits = { connections: 1, perMinute: 1000 };
const entered = await pacing.enter(process.env.ORGANISATION!, limits, 1000, new AbortController().signal);
if (typeof entered === 'string') throw new Error(`Expected a slot, got ${entered}.`);
write({ processId });
