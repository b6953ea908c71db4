/** Second factors of a person: an authenticator that Chromium plays, the app, and the forms. */
import { type CDPSession, expect, type Page } from '@playwright/test';
import { generateSync } from 'otplib';
import { EMAIL, PASSWORD } from './account.ts';
import { button } from './world-test.ts';

export const SECURITY = '/dashboard/security';

interface Served {
  readonly origin: string;
}

/** Browsers take passkeys for host names only. */
export const urlOf = ({ origin }: Served, path: string) => origin.replace('127.0.0.1', 'localhost') + path;

export class Device {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** A device with a fingerprint reader. */
  static async on(page: Page): Promise<Device> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    return new Device(session, authenticatorId);
  }

  /** Whether somebody touches it as soon as it asks. */
  async touch(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }
}

/** Signs in with the password. What follows depends on the second factors. */
export async function givePassword(page: Page, world: Served): Promise<void> {
  await page.goto(urlOf(world, '/login'));
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, 'Sign in').click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Sign in');
}

export async function signOut(page: Page): Promise<void> {
  await button(page, 'Sign out').first().click();
  await expect(button(page, 'Sign in')).toBeVisible();
}

export const codeOf = (secret: string, seconds = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });

/** @returns the key of the app, and the recovery codes */
export async function setUpApp(page: Page, world: Served): Promise<{ secret: string; codes: string[] }> {
  await page.goto(urlOf(world, SECURITY));
  await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
  const secret = await page.locator('#totp-secret').innerText();
  await page.getByLabel('Code that the app shows').fill(codeOf(secret));
  await button(page, 'Confirm').click();
  await expect(page.getByRole('status')).toContainText('The authenticator app is set up.');
  return { secret, codes: await page.locator('ol#recovery-codes > li').allInnerTexts() };
}

export async function addPasskey(page: Page, world: Served): Promise<void> {
  await page.goto(urlOf(world, SECURITY));
  await page.getByLabel('Name of the new passkey').fill('Laptop');
  await button(page, 'Add a passkey').click();
  await expect(page.getByRole('status')).toContainText('The passkey was added.');
}
