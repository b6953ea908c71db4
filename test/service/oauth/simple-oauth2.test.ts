/** The client simple-oauth2, over real connections. */
import { expect, it } from 'vitest';
import { loadTool } from '../../../.ci/tools/tools.mjs';
import { testDatabase } from '../support/database.ts';
import { CALLBACK, type Client, openToClients } from './world.ts';

const { AuthorizationCode } = loadTool('simple-oauth2');
const { db } = await testDatabase();

it.each(['body', 'header'] as const)(
  'runs the code flow, refreshes and revokes, with a secret in the %s',
  async (place) => {
    const { base, makeApp, visit, askAccount } = await openToClients(db);
    const app = (await makeApp()) as Required<Client>;
    const client = new AuthorizationCode({
      client: { id: app.client_id, secret: app.client_secret },
      auth: {
        tokenHost: base,
        tokenPath: '/oauth/token',
        authorizePath: '/oauth/authorize',
        revokePath: '/oauth/revoke',
      },
      options: { authorizationMethod: place },
    });
    const url = new URL(client.authorizeURL({ redirect_uri: CALLBACK, scope: 'all', state: 'abc' }));
    const code = (await visit(url)).searchParams.get('code')!;
    const tokens = await client.getToken({ code, redirect_uri: CALLBACK });
    expect(tokens.expired()).toBe(false);
    const refreshed = await tokens.refresh();
    const { access_token } = refreshed.token as { access_token: string };
    expect((await askAccount(access_token)).statusCode).toBe(200);
    await refreshed.revokeAll();
    expect((await askAccount(access_token)).statusCode).toBe(403);
    await expect(client.getToken({ code, redirect_uri: CALLBACK })).rejects.toMatchObject({
      output: { statusCode: 400 },
      data: { payload: { error: 'invalid_grant' } },
    });
  },
);
