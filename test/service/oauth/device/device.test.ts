/** The device flow over HTTP: the codes, the polls and their errors (RFC 8628; interface, section 3.4). */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { endAccount } from '../../../../src/service/deletion/delete-account.ts';
import { deleteApp, findApp } from '../../../../src/service/oauth/apps/app-store.ts';
import { requestDevice } from '../../../../src/service/oauth/oauth-server.ts';
import { makeAccount } from '../../support/account.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { DEVICE_GRANT, openWorld, passTime, refusalOf } from '../world.ts';

const { db, run } = await testDatabase();

/** An app that has its codes. */
async function open(options: Parameters<typeof openWorld>[1] = {}) {
  const world = await openWorld(db, options);
  const client = await world.makeApp();
  const device = await world.deviceOf(client);
  return { ...world, client, device, pollAgain: () => world.poll(client, device.device_code) };
}

/** Deletes an account and leaves the rest to the housekeeping: its apps are still there. */
const end = (accountId: string) => db.transaction().execute((deletion) => endAccount(deletion, accountId));

const intervalOf = async (userCode: string) => {
  const rows = await sql<{ interval_seconds: number }>`
    select interval_seconds from device_requests
    where user_code = sha256(convert_to(${userCode.replace('-', '')}, 'UTF8'))
  `.execute(db);
  return rows.rows[0]!.interval_seconds;
};

describe('the codes', () => {
  it('come with the documented names, and lead to the device page', async () => {
    const { device } = await open({ publicUrl: 'https://verify.example/base' });
    expect(device).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'https://verify.example/base/oauth/device',
      verification_uri_complete: `https://verify.example/base/oauth/device?user_code=${device.user_code}`,
      expires_in: 900,
      interval: 5,
    });
  });

  it('live and pause as the config says', async () => {
    const { device } = await open({ durations: { deviceCode: 60, deviceInterval: 2 } });
    expect(device).toMatchObject({ expires_in: 60, interval: 2 });
  });

  it('are for apps with the device flow only, with a right secret if one is sent', async () => {
    const { makeApp, post } = await openWorld(db);
    const without = await makeApp({ allowsDevice: false });
    const app = await makeApp();
    const wrong = { client_id: app.client_id, client_secret: 'wrong' };
    for (const form of [{ ...without }, { client_id: 'unknown_client' }, wrong])
      expect(refusalOf(await post('device/code', form))).toEqual([401, 'invalid_client']);
    expect((await post('device/code', { ...app })).statusCode).toBe(200);
    expect((await post('device/code', { client_id: app.client_id, scope: 'all' })).statusCode).toBe(200);
  });

  it('need a client_id, once, and no other scope', async () => {
    const { client, post, app } = await open();
    expect(refusalOf(await post('device/code', {}))).toEqual([400, 'invalid_request']);
    const scope = { client_id: client.client_id, scope: 'openid' };
    expect(refusalOf(await post('device/code', scope))).toEqual([400, 'invalid_scope']);
    const twice = await app.inject({
      method: 'POST',
      url: '/oauth/device/code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `client_id=${client.client_id}&client_id=${client.client_id}`,
    });
    expect(refusalOf(twice)).toEqual([400, 'invalid_request']);
  });

  it('are limited to 50 in a second for a site, so that nobody fills the database', async () => {
    const { client, post } = await open();
    const begin = (remoteAddress: string) =>
      post('device/code', { client_id: client.client_id }, { remoteAddress });
    const flood = (addressOf: (index: number) => string) =>
      Promise.all(Array.from({ length: 200 }, (_, index) => begin(addressOf(index))));
    const answers = await flood(() => '203.0.113.9');
    // A customer of a provider often has a /48, and each of its /64s looks like another network.
    const rotated = await flood((index) => `2001:db8:1:${index.toString(16)}::1`);
    for (const sent of [answers, rotated]) {
      const refused = sent.filter(({ statusCode }) => statusCode !== 200);
      // A program of one address may begin 50. A busy machine needs more than a second for all.
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThanOrEqual(150);
      for (const answer of refused) {
        expect([answer.statusCode, answer.json().error]).toEqual([429, 'temporarily_unavailable']);
        expect(answer.headers['retry-after']).toBe('1');
      }
    }
    expect((await begin('198.51.100.1')).statusCode).toBe(200);
    // Counted there, they are counted for all processes.
    const { rows } = await run`select network from network_counts where name = 'device codes'`;
    for (const network of ['203.0.113.9', '2001:db8:1::/48', '198.51.100.1'])
      expect(rows).toContainEqual({ network });
  });

  it('are refused to an app that is deleted at this moment', async () => {
    const { client_id } = await (await openWorld(db)).makeApp();
    const app = (await findApp(db, client_id))!;
    await deleteApp(db, client_id);
    const refusal = { error: 'invalid_client', status: 401 };
    await expect(requestDevice({ ...DEPS, db }, app)).rejects.toMatchObject(refusal);
  });
});

describe('a poll', () => {
  it('waits for the person, and then gets tokens once', async () => {
    const { pollAgain, grants, device, accountId, askAccount } = await open();
    expect(refusalOf(await pollAgain())).toEqual([400, 'authorization_pending']);
    expect(await grants.allowDevice(device.user_code, accountId)).toBe(true);
    // The person was quick. Whoever has been allowed does not wait.
    const answer = await pollAgain();
    expect(answer.statusCode).toBe(200);
    expect((await askAccount(answer.json().access_token)).statusCode).toBe(200);
    expect(refusalOf(await pollAgain())).toEqual([400, 'invalid_grant']);
    // The tokens are as good as those of a code: they can be refreshed.
    expect((await askAccount(answer.json().access_token)).statusCode).toBe(200);
  });

  it('gives tokens that refresh as those of a code do', async () => {
    const { pollAgain, grants, device, accountId, refresh, client } = await open();
    await grants.allowDevice(device.user_code, accountId);
    const tokens = (await pollAgain()).json();
    expect((await refresh(client, tokens.refresh_token)).statusCode).toBe(200);
  });

  it('says access_denied after a denial, each time', async () => {
    const { pollAgain, grants, device, accountId } = await open();
    expect(await grants.denyDevice(device.user_code, accountId)).toBe(true);
    expect(refusalOf(await pollAgain())).toEqual([400, 'access_denied']);
    expect(refusalOf(await pollAgain())).toEqual([400, 'access_denied']);
  });

  it('says slow_down when it comes too early, and the interval grows for good', async () => {
    const { pollAgain, device } = await open();
    const pollAfter = async (seconds: number) => {
      await passTime(db, seconds);
      return refusalOf(await pollAgain())[1];
    };
    // The first one may come at once.
    expect(refusalOf(await pollAgain())).toEqual([400, 'authorization_pending']);
    expect(refusalOf(await pollAgain())).toEqual([400, 'slow_down']);
    expect(await intervalOf(device.user_code)).toBe(10);
    // It counts from the poll before, also from a refused one.
    expect(await pollAfter(5)).toBe('slow_down');
    expect(await pollAfter(8)).toBe('slow_down');
    expect(await pollAfter(21)).toBe('authorization_pending');
    expect(await pollAfter(10)).toBe('slow_down');
    expect(await intervalOf(device.user_code)).toBe(25);
    expect(await pollAfter(25)).toBe('authorization_pending');
  });

  it('may come a moment early, because timers do', async () => {
    const { pollAgain } = await open();
    await pollAgain();
    await passTime(db, 4.92);
    expect(refusalOf(await pollAgain())).toEqual([400, 'authorization_pending']);
  });

  it('says expired_token when the time is over, allowed or not', async () => {
    const { pollAgain, grants, device, accountId } = await open({ durations: { deviceCode: 60 } });
    const second = await open({ durations: { deviceCode: 60 } });
    await second.grants.allowDevice(second.device.user_code, second.accountId);
    await passTime(db, 61);
    expect(refusalOf(await pollAgain())).toEqual([400, 'expired_token']);
    expect(refusalOf(await pollAgain())).toEqual([400, 'expired_token']);
    expect(refusalOf(await second.pollAgain())).toEqual([400, 'expired_token']);
    expect(await grants.findDeviceRequest(device.user_code)).toBeUndefined();
    expect(await grants.allowDevice(device.user_code, accountId)).toBe(false);
    expect(await grants.denyDevice(device.user_code, accountId)).toBe(false);
  });

  it('gives nothing to another app, and leaves the code as it is', async () => {
    const { makeApp, poll, pollAgain, grants, device, accountId } = await open();
    const other = await makeApp();
    expect(refusalOf(await poll(other, device.device_code))).toEqual([400, 'invalid_grant']);
    await grants.allowDevice(device.user_code, accountId);
    expect(refusalOf(await poll(other, device.device_code))).toEqual([400, 'invalid_grant']);
    expect((await pollAgain()).statusCode).toBe(200);
  });

  it('waits for the account that has allowed it, and for no other', async () => {
    const looks: string[] = [];
    const world = await openWorld(db, { untilUnlocked: async (id) => void looks.push(id) });
    const client = await world.makeApp();
    const allow = async () => {
      const [accountId, device] = [await makeAccount(db), await world.deviceOf(client)];
      await world.grants.allowDevice(device.user_code, accountId);
      return { accountId, code: device.device_code };
    };
    const [first, second] = [await allow(), await allow()];
    for (const { code } of [second, first]) expect((await world.poll(client, code)).statusCode).toBe(200);
    expect(looks).toEqual([second.accountId, first.accountId]);
  });

  it('gives nothing once the account that has allowed it is deleted', async () => {
    const { pollAgain, grants, device } = await open();
    const person = await makeAccount(db);
    await grants.allowDevice(device.user_code, person);
    await end(person);
    expect(refusalOf(await pollAgain())).toEqual([400, 'invalid_grant']);
  });

  it('takes the right secret, and refuses a wrong one', async () => {
    const { client, post, device, grants, accountId } = await open();
    await grants.allowDevice(device.user_code, accountId);
    const form = { grant_type: DEVICE_GRANT, device_code: device.device_code };
    const wrong = { ...form, client_id: client.client_id, client_secret: 'wrong' };
    expect(refusalOf(await post('token', wrong))).toEqual([401, 'invalid_client']);
    expect((await post('token', { ...form, ...client })).statusCode).toBe(200);
  });
});

describe('the code that people type', () => {
  it('is found in any case, with and without hyphen and spaces', async () => {
    const { grants, device, client, accountId } = await open();
    const plain = device.user_code.replace('-', '');
    const typed = [device.user_code, plain, plain.toLowerCase(), ` ${plain.slice(0, 2)} ${plain.slice(2)}\n`];
    for (const text of [...typed, device.user_code.replace('-', '\u2013')]) {
      expect(await grants.findDeviceRequest(text)).toEqual({
        app: { clientId: client.client_id, name: 'Newsletter', owner: `${accountId}@example.com` },
        scope: 'all',
        userCode: device.user_code,
      });
    }
  });

  it('is not found when it is wrong', async () => {
    const { grants, device, accountId } = await open();
    const { user_code, device_code } = device;
    const almost = [`${user_code}B`, user_code.slice(1), device_code];
    for (const text of [...almost, '', 'BCDF', 'BCDF-GHJ1', '\0', '%', 'ÄÖÜßÄÖÜß']) {
      expect(await grants.findDeviceRequest(text)).toBeUndefined();
      expect(await grants.allowDevice(text, accountId)).toBe(false);
      expect(await grants.denyDevice(text, accountId)).toBe(false);
    }
  });

  it('is not found if the account of its app is deleted at this moment', async () => {
    const { grants, accountId, client } = await open();
    const app = (await findApp(db, client.client_id))!;
    await end(accountId);
    const { userCode } = await requestDevice({ ...DEPS, db }, app);
    expect(await grants.findDeviceRequest(userCode)).toBeUndefined();
    expect(await grants.allowDevice(userCode, await makeAccount(db))).toBe(false);
  });

  it('decides about its own device, and about no other', async () => {
    const [denied, allowed, waiting] = [await open(), await open(), await open()];
    await denied.grants.denyDevice(denied.device.user_code, denied.accountId);
    expect(await allowed.grants.allowDevice(allowed.device.user_code, allowed.accountId)).toBe(true);
    expect(refusalOf(await denied.pollAgain())).toEqual([400, 'access_denied']);
    expect(refusalOf(await waiting.pollAgain())).toEqual([400, 'authorization_pending']);
  });

  it.each(['allowDevice', 'denyDevice'] as const)(
    'lets %s do nothing if it expires meanwhile',
    async (decide) => {
      const { grants, device, accountId } = await open();
      const expiry = await db.startTransaction().execute();
      await passTime(expiry, 901);
      const isDone = grants[decide](device.user_code, accountId);
      await untilBlocked(db);
      await expiry.commit().execute();
      expect(await isDone).toBe(false);
    },
  );

  it('is decided once', async () => {
    const { grants, device, accountId, pollAgain } = await open();
    expect(await grants.denyDevice(device.user_code, accountId)).toBe(true);
    expect(await grants.allowDevice(device.user_code, accountId)).toBe(false);
    expect(await grants.findDeviceRequest(device.user_code)).toBeUndefined();
    expect(refusalOf(await pollAgain())).toEqual([400, 'access_denied']);
    const second = await open();
    const answers = await Promise.all([
      second.grants.allowDevice(second.device.user_code, second.accountId),
      second.grants.denyDevice(second.device.user_code, second.accountId),
      second.grants.allowDevice(second.device.user_code, second.accountId),
    ]);
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});
