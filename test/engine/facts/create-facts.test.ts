import { expect, it } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { isNoReply } from '../../../src/engine/facts/no-reply.ts';

const { isRole } = createFacts(loadPublishedLists());

it.each(['info', 'Support', 'sales', 'postmaster', 'kontakt', 'noreply', 'do-not-reply'])(
  'calls %s a role',
  (user) => {
    expect(isRole(user)).toBe(true);
  },
);

it.each(['jane', 'jane.doe', 'infojane', 'constructor'])('does not call %s a role', (user) => {
  expect(isRole(user)).toBe(false);
});

it.each(['noreply', 'no-reply', 'No.Reply', 'donotreply', 'do_not_reply', 'alerts-noreply', 'noreply2'])(
  'says that %s takes no replies',
  (user) => {
    expect(isNoReply(user)).toBe(true);
  },
);

it.each(['reply', 'info', 'nora.reply', 'bruno.reply', 'casinoreply', 'nor.eply'])(
  'says that %s takes replies',
  (user) => {
    expect(isNoReply(user)).toBe(false);
  },
);
