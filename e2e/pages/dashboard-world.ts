/** The real service with an account that has credits. Its live verifier has an unreachable name server. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { EMAIL, newAccountData, PASSWORD, runAdmin } from './account.ts';
import { removeFolder, startService } from './service-process.ts';

export interface DashboardWorld {
  readonly origin: string;
  admin(...parameters: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startDashboardWorld(): Promise<DashboardWorld> {
  const { folder, data } = await newAccountData();
  const configFile = join(folder, 'config.json');
  const live = { helo: 'verify.example', mailFrom: 'probe@verify.example', dns: ['127.0.0.1:1'] };
  const service = await startService({ database: data, live }, configFile);
  return {
    origin: service.origin,
    admin: (...parameters) => runAdmin(configFile, parameters),
    async stop() {
      await service.stop();
      removeFolder(folder);
    },
  };
}

let owners = 0;

/** Somebody with an account of their own, for tests that use up what an account may have. */
export async function newOwner({ admin }: Pick<DashboardWorld, 'admin'>): Promise<Owner> {
  owners += 1;
  const email = `owner-${process.pid}-${owners}@example.com`;
  const made = await admin('account', 'create', '--email', email, '--credits', '1000');
  return { email, password: (made as { password: string }).password };
}

interface Owner {
  readonly email: string;
  readonly password: string;
}

/** Opens a page of the dashboard, and signs in first if needed. */
export async function openDashboard(
  page: Page,
  { origin }: Pick<DashboardWorld, 'origin'>,
  path: string,
  { email, password }: Owner = { email: EMAIL, password: PASSWORD },
): Promise<void> {
  await page.goto(`${origin}${path}`);
  if ((await page.getByLabel('Password').count()) === 0) return;
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${origin}${path}`);
}
