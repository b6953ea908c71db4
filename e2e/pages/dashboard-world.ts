/** The real service with an account that has credits. Its live verifier has an unreachable name server. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { makeTemporaryFolder } from '../../test/service/support/temporary-folder.ts';
import { startService } from './service-process.ts';

const ADMIN = fileURLToPath(new URL('../../dist/admin/main.js', import.meta.url));
export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery';
export const CREDITS = 1_000;

export interface DashboardWorld {
  readonly origin: string;
  admin(...parameters: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startDashboardWorld(): Promise<DashboardWorld> {
  const folder = makeTemporaryFolder('evw-dashboard-');
  const configFile = join(folder, 'config.json');
  const live = { helo: 'verify.example', mailFrom: 'probe@verify.example', dns: ['127.0.0.1:1'] };
  const service = await startService({ database: join(folder, 'data'), live }, configFile);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  const run = promisify(execFile);
  const admin = async (...parameters: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [ADMIN, '--config', configFile, ...parameters]);
    return JSON.parse(stdout);
  };
  const account = ['--email', EMAIL, '--credits', String(CREDITS), '--password-file', passwordFile];
  await admin('account', 'create', ...account);
  return {
    ...{ origin: service.origin, admin },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** Opens a page of the dashboard, and signs in first if needed. */
export async function openDashboard(page: Page, { origin }: DashboardWorld, path: string): Promise<void> {
  await page.goto(`${origin}${path}`);
  if ((await page.getByLabel('Password').count()) === 0) return;
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${origin}${path}`);
}
