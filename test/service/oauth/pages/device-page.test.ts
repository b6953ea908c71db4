/** `/oauth/device` as a person at a browser sees it. */
import { describe, expect, it } from 'vitest';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makePerson, Visitor } from '../../support/visitor.ts';
import { worldOf } from '../world.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, 'guesses');

const UNKNOWN = 'The code is wrong, or it has expired.';
const DECIDED = 'this changed nothing. If you decided before, that decision holds.';

async function start() {
  const service = await startStoredService(db);
  const person = await makePerson(db, 7);
  const world = worldOf(db, service.app, person.id);
  const client = await world.makeApp();
  const device = await world.deviceOf(client);
  const visitor = new Visitor(service.app);
  const pollError = async () => (await world.poll(client, device.device_code)).json().error;
  return { ...service, ...world, person, client, device, visitor, pollError };
}

async function startSignedIn() {
  const world = await start();
  await world.visitor.signIn(world.person);
  await world.visitor.open('/oauth/device');
  return world;
}

const enter = (visitor: Visitor, code: string) => visitor.press('Continue', { Code: code });

describe('the device page', () => {
  it('takes the code, asks, and gives the device its tokens', async () => {
    const { visitor, device, client, person, poll, askAccount } = await startSignedIn();
    await enter(visitor, device.user_code);
    expect(visitor.status).toBe(200);
    expect(visitor.text).toContain(`The app Newsletter asks to use the account of ${person.email}.`);
    const said = `it must show this code. If it shows another one, or if somebody sent you the code, press Deny. ${device.user_code}`;
    expect(visitor.text).toContain(said);
    await visitor.press('Allow');
    expect([visitor.status, visitor.text.includes('The device is connected')]).toEqual([200, true]);
    const tokens = (await poll(client, device.device_code)).json();
    expect((await askAccount(tokens.access_token)).json().owner_email).toBe(person.email);
  });

  it('takes the code in any case and without the hyphen', async () => {
    const { visitor, device } = await startSignedIn();
    await enter(visitor, ` ${device.user_code.toLowerCase().replace('-', ' ')} `);
    expect(visitor.has('Allow')).toBe(true);
  });

  it('has the code of the complete URL in its field, and decides nothing by itself', async () => {
    const { visitor, device, pollError } = await startSignedIn();
    const { pathname, search } = new URL(device.verification_uri_complete);
    await visitor.open(pathname + search);
    expect(visitor.valueOf('Code')).toBe(device.user_code);
    expect(visitor.has('Allow')).toBe(false);
    expect(await pollError()).toBe('authorization_pending');
  });

  it('tells the device of a denial', async () => {
    const { visitor, device, pollError } = await startSignedIn();
    await enter(visitor, device.user_code);
    await visitor.press('Deny');
    expect([visitor.status, visitor.text.includes('You denied the request')]).toEqual([200, true]);
    expect(await pollError()).toBe('access_denied');
  });

  it('asks for the sign-in first, and keeps the code', async () => {
    const { visitor, device, person } = await start();
    await visitor.open(`/oauth/device?user_code=${device.user_code}`);
    expect(visitor.text).toContain('Sign in to connect a device with your account.');
    await (await visitor.signIn(person)).follow();
    expect(visitor.valueOf('Code')).toBe(device.user_code);
  });

  it('shows a text that is not a code as text', async () => {
    const { visitor } = await startSignedIn();
    await visitor.open(`/oauth/device?user_code=${encodeURIComponent('"><script>')}`);
    expect(visitor.valueOf('Code')).toBe('"><script>');
    expect(visitor.response.body).not.toContain('<script');
    expect((await visitor.open('/oauth/device?user_code=a&user_code=b')).valueOf('Code')).toBe('');
  });
});

describe('a code that leads nowhere', () => {
  it('gets the form again, whether it is wrong, decided already, expired or missing', async () => {
    const { visitor, device } = await startSignedIn();
    await enter(visitor, 'BCDF-GHJK');
    expect([visitor.status, visitor.text.includes(UNKNOWN)]).toEqual([422, true]);
    expect(visitor.valueOf('Code')).toBe('BCDF-GHJK');
    await enter(visitor, device.user_code);
    const decided = visitor.formOf('Allow');
    await visitor.press('Allow');
    await visitor.post(decided.action, { ...decided.sent, decision: 'allow' });
    expect([visitor.status, visitor.text.includes(DECIDED)]).toEqual([422, true]);
    await enter(visitor, device.user_code);
    expect([visitor.status, visitor.text.includes(UNKNOWN)]).toEqual([422, true]);
    expect((await visitor.press('Continue', { Code: null })).status).toBe(422);
  });

  it('that somebody else decides at the same time is decided once', async () => {
    const { visitor, device, person, app } = await startSignedIn();
    const other = await new Visitor(app).signIn(person);
    for (const one of [visitor, other]) await enter(await one.open('/oauth/device'), device.user_code);
    await Promise.all([visitor.press('Allow'), other.press('Deny')]);
    expect([visitor.status, other.status].sort()).toEqual([200, 422]);
  });

  it('that expires between the page and the press changes nothing', async () => {
    const { visitor, device } = await startSignedIn();
    await enter(visitor, device.user_code);
    await run`update device_requests set expires_at = clock_timestamp() - interval '1 second'`;
    await visitor.press('Allow');
    expect([visitor.status, visitor.text.includes(DECIDED)]).toEqual([422, true]);
  });
});

describe('guessing codes', () => {
  it('is held up after ten tries in a session, and then the right code is refused, too', async () => {
    const { visitor, device, pollError, person, app } = await startSignedIn();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await enter(visitor, 'BCDF-GHJK')).status);
    expect(statuses).toEqual([...Array(10).fill(422), 429]);
    await enter(visitor, device.user_code);
    expect([visitor.status, visitor.has('Allow')]).toEqual([429, false]);
    const pattern = /There were too many wrong codes\. Wait (1 minute|5\d seconds), then try again\./;
    expect(visitor.text).toMatch(pattern);
    const { action, sent } = visitor.formOf('Continue');
    await visitor.post(action, { ...sent, user_code: device.user_code, decision: 'allow' });
    expect(visitor.status).toBe(429);
    expect(await pollError()).toBe('authorization_pending');
    // Another session goes on.
    const other = await new Visitor(app).signIn(person);
    await enter(await other.open('/oauth/device'), device.user_code);
    expect(other.has('Allow')).toBe(true);
  });

  it('in ever new sessions is held up by IP address', async () => {
    const { visitor, device, person, app } = await startSignedIn();
    await enter(visitor, 'BCDF-GHJK');
    await run`update guesses set wrong = 50, paused_until = clock_timestamp() + interval '5 minutes'
      where wrong = 1`;
    const signedIn = await new Visitor(app, { ip: '203.0.113.9' }).signIn(person);
    const again = signedIn.copy();
    await enter(await again.open('/oauth/device'), device.user_code);
    expect(again.status).toBe(429);
    await enter(await signedIn.open('/oauth/device'), device.user_code);
    expect(signedIn.has('Allow')).toBe(true);
  });

  it('from ever new /64s of one site counts together', async () => {
    const { app, person } = await startSignedIn();
    const from = async (ip: string) =>
      enter(await (await new Visitor(app, { ip }).signIn(person)).open('/oauth/device'), 'BCDF-GHJK');
    await from('2001:db8:1:1::1');
    await run`update guesses set wrong = 50, paused_until = clock_timestamp() + interval '5 minutes'
      where wrong = 1`;
    expect((await from('2001:db8:1:2::1')).status).toBe(429);
    expect((await from('2001:db8:2:1::1')).status).toBe(422);
  });

  it('does not count right codes', async () => {
    const { visitor, device } = await startSignedIn();
    for (let count = 0; count < 12; count += 1) {
      await visitor.open('/oauth/device');
      await enter(visitor, device.user_code);
      expect(visitor.status).toBe(200);
    }
  });
});

describe('a decision that nobody took (cross-site request forgery)', () => {
  it('is refused, whether it enters the code or decides', async () => {
    const { visitor, device, pollError } = await startSignedIn();
    const headers = { origin: 'https://evil.example' };
    const { action, sent } = visitor.formOf('Continue');
    const decided = { ...sent, user_code: device.user_code, decision: 'allow' };
    expect((await visitor.post(action, decided, { headers })).status).toBe(403);
    expect((await visitor.post(action, { ...decided, form_token: '' })).status).toBe(403);
    expect(visitor.valueOf('Code')).toBe(device.user_code);
    expect((await visitor.post(`${action}?${new URLSearchParams(decided)}`, {})).status).toBe(403);
    expect(await pollError()).toBe('authorization_pending');
  });

  it('is asked again if the app has another name by now', async () => {
    const { visitor, device, client, pollError } = await startSignedIn();
    await enter(visitor, device.user_code);
    await db.updateTable('apps').set({ name: 'Bank' }).where('client_id', '=', client.client_id).execute();
    await visitor.press('Allow');
    expect([visitor.status, visitor.text.includes('The app Bank asks')]).toEqual([403, true]);
    expect(await pollError()).toBe('authorization_pending');
    expect((await visitor.press('Allow')).text).toContain('The device is connected');
  });

  it('must be one of the two', async () => {
    const { visitor, device, pollError } = await startSignedIn();
    await enter(visitor, device.user_code);
    const { action, sent } = visitor.formOf('Allow');
    expect((await visitor.post(action, { ...sent, decision: 'yes' })).status).toBe(400);
    expect(await pollError()).toBe('authorization_pending');
  });
});

it('keeps the code when the session ends between the page and the press', async () => {
  const { visitor, device, person, pollError } = await startSignedIn();
  await enter(visitor, device.user_code);
  await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
  expect((await visitor.press('Allow')).status).toBe(403);
  expect(await pollError()).toBe('authorization_pending');
  await (await visitor.signIn(person)).follow();
  expect(visitor.valueOf('Code')).toBe(device.user_code);
});
