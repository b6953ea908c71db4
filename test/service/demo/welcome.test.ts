import { expect, it } from 'vitest';
import { demoWelcome } from '../../../src/service/demo/welcome.ts';

const ADDRESS = 'http://127.0.0.1:8080';

it('leads to the dashboard, with the account to sign in with', () => {
  const account = { email: 'demo@example.com', password: 'secret', liveKey: undefined };
  const said = demoWelcome(ADDRESS, { account, what: 'in /data' });
  expect(said).toMatch(/^ {2}Dashboard {2}http:\/\/127\.0\.0\.1:8080\/dashboard\/$/m);
  expect(said).toMatch(/^ {2}Account {4}demo@example\.com, password secret \(a new one at every start\)$/m);
});

it('names no dashboard where there is no database', () => {
  const said = demoWelcome(ADDRESS, { account: undefined, reason: 'It may not write here.' });
  expect(said).not.toContain('Dashboard');
  expect(said).toContain('Account    none, because the demo runs without a database. It may not write here.');
});
