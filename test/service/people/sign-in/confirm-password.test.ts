import { expect, it, vi } from 'vitest';
import type { Db } from '../../../../src/service/database/schema.ts';
import { confirmSession } from '../../../../src/service/people/sessions/session-store.ts';
import { confirmPassword } from '../../../../src/service/people/sign-in/confirm-password.ts';
import type { Passwords } from '../../../../src/service/people/sign-in/passwords.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { DEPS } from '../../support/deps.ts';

vi.mock('../../../../src/service/people/sessions/session-store.ts', { spy: true });

it.each([
  ['confirms a session that is the person’s', true, 'confirmed', 1],
  ['confirms no session that has ended, or was given to another person, during the check', false, 'wrong', 0],
] as const)('%s', async (_, isTheirs, kind, forgiven) => {
  const forgive = vi.fn();
  vi.mocked(confirmSession).mockResolvedValue(isTheirs);
  const judge = async () => ({ kind: 'right', person: { id: 'per_1' }, forgive });
  const deps = { ...DEPS, db: {} as Db, passwords: { judge } as unknown as Passwords };
  const attempt = { email: 'ada@example.com', password: 'right', ip: '203.0.113.9', browserToken: undefined };
  expect(await confirmPassword(deps, { ...attempt, cookie: 'cookie' })).toEqual({ kind });
  expect(confirmSession).toHaveBeenCalledWith(deps.db, digestOf('cookie'), 'per_1');
  expect(forgive).toHaveBeenCalledTimes(forgiven);
});
