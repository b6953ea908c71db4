import { expect, it, vi } from 'vitest';
import type { Sessions } from '../../../../src/service/people/sessions/sessions.ts';
import { createConfirmPassword } from '../../../../src/service/people/sign-in/confirm-password.ts';
import type { Passwords } from '../../../../src/service/people/sign-in/passwords.ts';

it.each([
  ['confirms a session that is the account’s', true, 'confirmed', 1],
  [
    'confirms no session that has ended, or was given to another account, during the check',
    false,
    'wrong',
    0,
  ],
] as const)('%s', async (_, isTheirs, kind, forgiven) => {
  const forgive = vi.fn();
  const confirm = vi.fn(async () => isTheirs);
  const judge = async () => ({ kind: 'right', account: { id: 'acc_1' }, forgive });
  const confirmPassword = createConfirmPassword({
    sessions: { confirm } as unknown as Sessions,
    passwords: { judge } as unknown as Passwords,
  });
  const attempt = { email: 'ada@example.com', password: 'right', ip: '203.0.113.9', mark: undefined };
  expect(await confirmPassword({ ...attempt, cookie: 'cookie' })).toEqual({ kind });
  expect(confirm).toHaveBeenCalledWith('cookie', 'acc_1');
  expect(forgive).toHaveBeenCalledTimes(forgiven);
});
