/** The commands on folders of embedded databases, each of which they make and start themselves. */
import { expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../service/support/database.ts';
import { freePath } from '../service/support/room.ts';
import { launch, writeConfig } from '../service/support/service-process.ts';
import { adminOn } from './run-admin.ts';

it('works without a service, also when two commands run at once', async () => {
  const folder = freePath();
  const config = writeConfig({ database: folder });
  const create = async (email: string) => {
    const parameters = ['dist/admin/main.js', '--config', config, 'account', 'create', '--email', email];
    const { exit, errors } = launch(process.execPath, parameters);
    expect([await exit, errors()]).toEqual([0, '']);
  };
  await Promise.all([create('ada@example.com'), create('grace@example.com')]);
  expect(await adminOn(folder).listed('account', 'list')).toHaveLength(2);
});

it('moves everything from an embedded database to a server, and back', async () => {
  const target = await testDatabase(onTestFinished, { empty: true });
  const [first, second] = [freePath(), freePath()];
  await adminOn(first).done('account', 'create', '--email', 'grace@example.com', '--credits', '7');
  await adminOn(first).done('backup', `${first}.backup`);
  await adminOn(target.url).done('restore', `${first}.backup`);
  await adminOn(target.url).done('backup', `${second}.backup`);
  expect(await adminOn(second).done('restore', `${second}.backup`)).toMatchObject({
    restored: { accounts: 1 },
    to: expect.stringContaining('embedded'),
  });
  expect(await adminOn(second).listed('account', 'list')).toMatchObject([
    { owner_email: 'grace@example.com', available_credits: 7 },
  ]);
});
