/** What the audit log says of people, of batches and of settings. */
import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../../src/service/audit/audit-store.ts';
import { sayAuditEvent, withoutIsolates } from '../../../../src/service/dashboard/audit/audit-sentences.ts';

const ALICE = { subject_id: 'per_1', subject_name: 'alice@example.com' };

function said(action: string, more: Partial<AuditEntry> = {}): string {
  const entry = { at: new Date(0), subject_id: null, subject_name: null, details: {}, action, ...more };
  return withoutIsolates(JSON.stringify(sayAuditEvent(entry as unknown as AuditEntry)));
}

it.each<[action: string, entry: Partial<AuditEntry>, words: string]>([
  ['person.app-add', {}, 'set up an authenticator app'],
  ['person.app-remove', {}, 'removed the authenticator app'],
  ['person.passkey-add', { details: { name: 'Laptop' } }, 'added the passkey Laptop'],
  ['person.passkey-rename', { details: { before: 'Old', name: 'New' } }, 'renamed the passkey Old to New'],
  ['person.passkey-remove', { details: { name: 'Laptop' } }, 'removed the passkey Laptop'],
  ['person.recovery-codes', {}, 'made new recovery codes'],
  ['person.recovery-code', { details: { left: 1 } }, 'used a recovery code. 1 code is left'],
  ['person.second-factor', ALICE, 'alice@example.com'],
  ['account.rename', { details: { from: 'a@example.com', to: 'b@example.com' } }, 'b@example.com'],
  ['member.invite', { ...ALICE, details: { role: 'viewer' } }, 'invited'],
  ['member.withdraw', { ...ALICE, details: { role: 'viewer' } }, 'withdrew the invitation of'],
  [
    'member.join',
    { ...ALICE, details: { role: 'member', invited_by: 'ada@example.com' } },
    'ada@example.com',
  ],
  ['member.add', { ...ALICE, details: { role: 'admin' } }, 'added'],
  ['member.role', { ...ALICE, details: { from: 'viewer', to: 'admin' } }, 'from viewer to admin'],
  ['member.end', { ...ALICE, details: { role: 'viewer' } }, 'ended the membership of'],
  [
    'member.end',
    { ...ALICE, actor: 'owner', actor_name: 'alice@example.com', details: { role: 'viewer' } },
    'left the account as a viewer, which ended the tokens',
  ],
  ['person.address', { details: { from: 'a@example.com', to: 'b@example.com' } }, 'b@example.com'],
  ['person.sessions', { ...ALICE, details: { ended: 2 } }, '2 sessions'],
  ['person.link', ALICE, 'made a sign-in link for'],
  ['person.password', ALICE, 'set a new password of alice@example.com'],
  ['person.connect', {}, 'connected the own sign-in with the provider'],
  ['person.unlink', ALICE, 'unlinked alice@example.com from the provider of single sign-on'],
  ['account.rename', {}, 'the address somebody, instead of somebody'],
  ['person.sessions', ALICE, '0 sessions'],
  ['person.passkey-add', {}, 'added the passkey '],
  ['member.role', ALICE, 'from another one to this one'],
  ['batch.rename', { subject_name: 'new.csv' }, 'renamed a batch, which is the batch new.csv now'],
  ['person.link-used', {}, 'signed in with a link of the operator'],
])('says %s', (action, entry, words) => {
  expect(said(action, entry)).toContain(words);
});
