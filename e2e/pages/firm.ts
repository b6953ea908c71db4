/** A firm with an OpenID provider of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { freePort } from '../../test/free-port.ts';
import { CLIENT } from '../../test/service/support/scripted-provider.ts';
import { startOpenIdProvider } from '../../test/service/support/start-openid-provider.ts';
import { EMAIL, newAccountData } from './account.ts';
import { removeFolder, startService } from './service-process.ts';

export const NAME = 'Firm Login';

/** The service of a firm, and its provider. @param only whether people sign in there only */
export async function startFirm(only = true) {
  const { folder, data } = await newAccountData();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = await startOpenIdProvider({
    origin,
    persons: {
      ada: { email: EMAIL, email_verified: true, groups: [] },
      grace: { email: 'grace@example.com', email_verified: true, groups: ['staff'] },
      eve: { email: 'eve@example.com', email_verified: true, groups: [] },
    },
  });
  writeFileSync(join(folder, 'secret'), CLIENT.secret);
  const oidc = {
    ...{ name: NAME, issuer: provider.issuer, clientId: CLIENT.id, allowedDomains: ['example.com'] },
    ...{ clientSecretFile: join(folder, 'secret'), only },
    ...{ account: EMAIL, rolesClaim: 'groups', roles: { staff: 'member' } },
  };
  const service = await startService({ database: data, oidc }, join(folder, 'config.json'), port);
  return {
    ...{ origin, provider },
    async stop() {
      await provider.stop();
      await service.stop();
      removeFolder(folder);
    },
  };
}

/** The pages of the provider, which are not ours. */
export async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('what only the provider knows');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
