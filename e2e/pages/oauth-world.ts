/** The real service with an account and apps, and the pages of an app on another origin. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../src/service/database/database.ts';
import { EMAIL, newAccountData, runAdmin } from './account.ts';
import { removeFolder, startService } from './service-process.ts';

const APP_NAME = 'Newsletter';

export interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The requests to the app's site. */
export interface Visit {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
}

export interface OAuthWorld {
  readonly origin: string;
  readonly app: App;
  /** The app's page after a decision. It redirects to another host, as apps do. */
  readonly callback: string;
  readonly visits: Visit[];
  /** Serves a page on a third host. @returns its URL */
  elsewhere(body: string): string;
  authorizeUrl(more?: Readonly<Record<string, string>>): string;
  /** The app of a page that shows codes. */
  readonly oobApp: App;
  admin(...parameters: string[]): Promise<unknown>;
  exchange(code: string): Promise<Record<string, unknown>>;
  /** Lets every sign-in be as long ago as a wait would have made it. */
  passSeconds(seconds: number): Promise<void>;
  deviceCode(): Promise<Record<string, string>>;
  poll(deviceCode: string): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

const OOB = 'urn:ietf:wg:oauth:2.0:oob';
const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Another site</title><body>${body}`;

export async function startOAuthWorld(): Promise<OAuthWorld> {
  const { folder, data } = await newAccountData();
  const configFile = join(folder, 'config.json');
  const service = await startService({ database: data }, configFile);
  const admin = (...parameters: string[]) => runAdmin(configFile, parameters);

  const visits: Visit[] = [];
  const foreign: string[] = [];
  const site = createServer(({ url = '/', headers }, response) => {
    const visited = new URL(url, `http://${headers.host}`);
    if (visited.pathname !== '/favicon.ico') visits.push({ url: visited, headers });
    if (visited.pathname === '/callback') {
      const next = `http://localhost:${port}/done${visited.search}`;
      response.writeHead(302, { Location: next }).end();
      return;
    }
    const body = foreign[Number(visited.pathname.slice(1))] ?? '<h1>Back at the app</h1>';
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page(body));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const callback = `http://127.0.0.1:${port}/callback`;

  const makeApp = (name: string, uri: string) =>
    admin(
      'app',
      'create',
      '--email',
      EMAIL,
      '--name',
      name,
      '--redirect-uri',
      uri,
      '--device',
    ) as Promise<App>;
  const app = await makeApp(APP_NAME, callback);
  const oobApp = await makeApp('Terminal', OOB);

  const post = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(`${service.origin}/oauth/${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  return {
    ...{ origin: service.origin, app, oobApp, callback, visits, admin },
    elsewhere: (body) => `http://localhost:${port}/${foreign.push(body) - 1}`,
    authorizeUrl(more = {}) {
      const query = { response_type: 'code', client_id: app.client_id, redirect_uri: callback, ...more };
      return `${service.origin}/oauth/authorize?${new URLSearchParams(query)}`;
    },
    exchange: (code) =>
      post('token', { grant_type: 'authorization_code', code, redirect_uri: callback, ...app }),
    async passSeconds(seconds) {
      const database = openDatabase({ folder: data }, { visit: true, log: () => {} });
      await database.ready;
      await sql`
        update sessions set authenticated_at = clock_timestamp() - make_interval(secs => ${seconds}::float8)
      `.execute(database.db);
      await database.close();
    },
    deviceCode: () => post('device/code', { client_id: app.client_id }) as Promise<Record<string, string>>,
    poll: (device_code) =>
      post('token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
        client_id: app.client_id,
      }),
    async stop() {
      site.closeAllConnections();
      site.close();
      await service.stop();
      removeFolder(folder);
    },
  };
}
