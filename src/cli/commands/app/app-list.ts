/** `app list`: the OAuth apps of an account, without their secrets. */

import { listApps } from '../../../service/oauth/apps/app-store.ts';
import { defineCommand } from '../../command.ts';
import { accountOf, OWNER } from '../owner-flag.ts';

export const appList = defineCommand({
  words: ['app', 'list'],
  description: 'Lists the OAuth apps of an account without their secrets, the oldest first.',
  flags: { email: OWNER },
  example: 'app list --email ada@example.com',
  async run({ db }, { email }) {
    const account = await accountOf(db, email);
    return (await listApps(db, account.id)).map((app) => ({
      client_id: app.client_id,
      name: app.name,
      redirect_uris: app.redirect_uris,
      device: app.allows_device,
      public: app.secret === null,
      created_at: app.created_at.toISOString(),
    }));
  },
});
