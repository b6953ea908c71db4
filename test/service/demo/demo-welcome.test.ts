import { expect, it } from 'vitest';
import { demoWelcome } from '../../../src/service/demo/demo-welcome.ts';

const HERE = { here: 'http://127.0.0.1:8080', network: undefined };
const account = { email: 'demo@example.com', password: 'secret', liveKey: undefined };
const ACCOUNT = { account, what: 'in /data' };

it('leads to the dashboard, with the account to sign in with', () => {
  const said = demoWelcome(HERE, ACCOUNT);
  expect(said).toMatch(/^ {2}Dashboard {2}http:\/\/127\.0\.0\.1:8080\/dashboard\/$/m);
  expect(said).toMatch(/^ {2}Account {4}demo@example\.com, password secret \(a new one at every start\)$/m);
});

it('names no dashboard where there is no database', () => {
  const said = demoWelcome(HERE, { account: undefined, reason: 'It may not write here.' });
  expect(said).not.toContain('Dashboard');
  expect(said).toContain('Account    none, because the demo runs without a database. It may not write here.');
});

it('names the command that opens the demo to a phone, while only this machine can open it', () => {
  expect(demoWelcome(HERE, ACCOUNT)).toMatch(/^ {2}Phone: .* npm start -- --host 0\.0\.0\.0$/m);
});

it('names every URL for a phone, and says that every device of the network can open the demo', () => {
  const network = ['http://192.168.1.5:8080', 'http://10.0.0.7:8080'];
  const said = demoWelcome({ ...HERE, network }, ACCOUNT);
  expect(said.match(/^ {2}Phone {6}http\S+$/gm)).toEqual(network.map((url) => `  Phone      ${url}/`));
  expect(said).toContain('Every device in your network can open the demo until you stop it.');
  expect(said).not.toContain('npm start');
});

it('says so if the machine is in no network', () => {
  const message = 'Phone      none, because this machine has no address in a network';
  expect(demoWelcome({ ...HERE, network: [] }, ACCOUNT)).toContain(message);
});
