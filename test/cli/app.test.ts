import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../service/support/database.ts';
import { adminOn } from './run-admin.ts';

const EMAIL = 'ada@example.com';
const OWNER = ['--email', EMAIL];
const CALLBACK = 'https://app.example/callback';

const database = await testDatabase();
const admin = adminOn(database);
await admin.done('account', 'create', ...OWNER);

interface PrintedApp {
  readonly client_id: string;
  readonly client_secret?: string;
}
const create = (...flags: string[]) =>
  admin.done<PrintedApp>('app', 'create', ...OWNER, '--name', 'Newsletter', ...flags);
const list = () => admin.listed<PrintedApp>('app', 'list', ...OWNER);

describe('app create', () => {
  it('prints the id and the secret once, and stores a digest', async () => {
    const local = 'http://127.0.0.1:8000/cb';
    const made = await create('--redirect-uri', CALLBACK, `--redirect-uri=${local}`, '--device');
    expect(made).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      name: 'Newsletter',
      redirect_uris: [CALLBACK, local],
      device: true,
      public: false,
    });
    const stored = database.db.selectFrom('apps').select('secret').where('client_id', '=', made.client_id);
    const secret = createHash('sha256').update(made.client_secret!).digest();
    expect(await stored.execute()).toEqual([{ secret }]);
    expect(JSON.stringify(await list())).not.toContain(made.client_secret);
  });

  it('gives a public app no secret', async () => {
    const made = await create('--redirect-uri', CALLBACK, '--public');
    expect(made).toMatchObject({ public: true, device: false });
    expect(made).not.toHaveProperty('client_secret');
  });

  it('takes an app with the device flow alone, and one URI given twice', async () => {
    expect(await create('--device')).toMatchObject({ redirect_uris: [], device: true });
    const twice = await create('--redirect-uri', CALLBACK, '--redirect-uri', CALLBACK);
    expect(twice).toMatchObject({ redirect_uris: [CALLBACK] });
  });

  it('imports a client id, once', async () => {
    const id = 'wdjuYuA3NZsKi-cR4mbaiBZ031iGt_a6zOpPQKzDFSI';
    expect(await create('--device', '--public', '--client-id', id)).toMatchObject({ client_id: id });
    const again = ['app', 'create', ...OWNER, '--name', 'Again', '--device', '--client-id', id];
    expect(await admin.refused(...again)).toContain('--client-id');
  });

  it.each([
    [['--redirect-uri', '/callback'], '/callback'],
    [['--redirect-uri', `${CALLBACK}#x`], 'fragment'],
    [['--redirect-uri', 'http://app.example/'], 'https:'],
    [['--redirect-uri', 'javascript:alert(1)'], '--redirect-uri'],
    [['--redirect-uri', CALLBACK, '--redirect-uri', 'x'], '--redirect-uri'],
    [[], '--redirect-uri'],
    [['--public'], '--redirect-uri'],
    [['--device', '--client-id', 'too_short'], '--client-id'],
    [['--device', '--client-id', 'a'.repeat(65)], '--client-id'],
    [['--device', '--client-id', 'with spaces'], '--client-id'],
    [['--device', '--name', 'Second'], '--name'],
    [['--device', '--name', 'a'.repeat(201)], '--name'],
  ])('refuses %j and creates nothing', async (flags, named) => {
    const before = (await list()).length;
    const name = flags.includes('--name') && flags.at(-1) !== 'Second' ? [] : ['--name', 'Newsletter'];
    expect(await admin.refused('app', 'create', ...OWNER, ...name, ...flags)).toContain(named);
    expect(await list()).toHaveLength(before);
  });

  it('refuses an unknown account, and a missing name or account', async () => {
    const rest = ['--name', 'Newsletter', '--device'];
    const stranger = ['--email', 'nobody@example.com'];
    expect(await admin.refused('app', 'create', ...stranger, ...rest)).toContain('nobody');
    expect(await admin.refused('app', 'create', ...rest)).toContain('--email');
    expect(await admin.refused('app', 'create', ...OWNER, '--device')).toContain('--name');
  });
});

describe('a name that the dashboard refuses', () => {
  it.each(['   ', 'News\nletter', '\u0007'])('is refused by app create too: %j', async (name) => {
    const error = await admin.refused('app', 'create', ...OWNER, '--device', '--name', name);
    expect(error).toContain('Expected --name to be one line of text');
  });
});

it('refuses names that people could mistake', async () => {
  const error = (name: string) =>
    admin.refused('app', 'create', '--email', 'ada@example.com', '--device', '--name', name);
  expect(await error('Bank\u202eelpoeg')).toContain('got U+202E');
  expect(await error('Email verification')).toContain('other than that of this service');
});

describe('app list', () => {
  it('prints the apps of the account, the oldest first', async () => {
    const { client_id } = await create('--redirect-uri', CALLBACK);
    expect((await list()).at(-1)).toEqual({
      client_id,
      name: 'Newsletter',
      redirect_uris: [CALLBACK],
      device: false,
      public: false,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('prints an empty list without apps, and refuses an unknown account', async () => {
    await admin.done('account', 'create', '--email', 'grace@example.com');
    expect(await admin.done('app', 'list', '--email', 'grace@example.com')).toEqual([]);
    expect(await admin.refused('app', 'list', '--email', 'nobody@example.com')).toContain('nobody');
  });
});

describe('app delete', () => {
  it('deletes an app, once', async () => {
    const { client_id } = await create('--device');
    const command = ['app', 'delete', '--client-id', client_id];
    expect(await admin.done(...command)).toEqual({ client_id, deleted: true });
    expect((await list()).map((app) => app.client_id)).not.toContain(client_id);
    expect(await admin.refused(...command)).toContain(client_id);
  });

  it('needs the id', async () => {
    expect(await admin.refused('app', 'delete')).toContain('--client-id');
  });
});
