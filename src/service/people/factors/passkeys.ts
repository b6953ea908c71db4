/** Passkeys (WebAuthn level 3): what browsers are asked, and whether their responses are genuine. */
import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { SERVICE_NAME } from '../../core/given-name.ts';
import type { Db } from '../../database/schema.ts';
import type { Deps } from '../../deps/deps.ts';
import type { Someone } from '../persons/person-store.ts';
import { makeChallenge, type Purpose, readChallenge } from './passkey-challenges.ts';
import {
  findPasskey,
  insertPasskey,
  passkeysOf,
  type StoredPasskey,
  spendChallenge,
} from './passkey-store.ts';

type PasskeyDeps = Pick<Deps, 'db' | 'settings'>;

/** Loaded with the first passkey: its modules take longer than those of a whole room. */
const library = () => import('@simplewebauthn/server');

/** The host that passkeys belong to. Without a public URL, they work on this machine only. */
const hostOf = ({ settings: { publicUrl } }: Pick<Deps, 'settings'>): string =>
  publicUrl === undefined ? 'localhost' : new URL(publicUrl).hostname;

/** Whether the pages can have passkeys. Browsers refuse them for IP addresses, and without TLS. */
export function canHavePasskeys(deps: Pick<Deps, 'settings'>): boolean {
  const { publicUrl } = deps.settings;
  const host = hostOf(deps);
  if (publicUrl === undefined || host === 'localhost') return true;
  return publicUrl.startsWith('https:') && isIP(host.replace(/^\[|\]$/g, '')) === 0;
}

/** The same for each passkey of a person. It must not say who it is, so it is not the address. */
const handleOf = (personId: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(personId));

/** The user verification makes each passkey good for a sign-in without a password. */
const VERIFIED = 'required';

/** What the browser needs to make a passkey. */
export async function creationOptions(
  deps: PasskeyDeps,
  person: Someone,
  browser: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: SERVICE_NAME,
    rpID: hostOf(deps),
    userName: person.email,
    userDisplayName: person.email,
    userID: handleOf(person.id),
    challenge: await challengeFor(deps.db, browser, `add ${person.id}`),
    attestationType: 'none',
    excludeCredentials: (await passkeysOf(deps.db, person.id)).map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: VERIFIED },
  });
}

/**
 * What the browser needs to sign a challenge.
 *
 * @param personId only the passkeys of this person. Without it, the person chooses one on the device
 */
export async function requestOptions(
  deps: PasskeyDeps,
  browser: string,
  purpose: 'sign in' | 'confirm',
  personId?: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: hostOf(deps),
    challenge: await challengeFor(deps.db, browser, purpose),
    userVerification: VERIFIED,
    ...(personId !== undefined && { allowCredentials: (await passkeysOf(deps.db, personId)).map(describe) }),
  });
}

const challengeFor = async (db: Db, browser: string, purpose: Purpose): Promise<Uint8Array<ArrayBuffer>> =>
  Uint8Array.from(await makeChallenge(db, browser, purpose));

const describe = ({ id, transports }: StoredPasskey) => ({
  id,
  transports: [...transports] as AuthenticatorTransport[],
});

/** How a passkey is added. `wrong`: the response does not belong to this request. */
export type Added = 'added' | 'known' | 'too many' | 'wrong';

/** Adds the passkey that a browser has made. */
export async function addPasskey(
  deps: PasskeyDeps,
  personId: string,
  { text, browser, name }: { readonly text: string; readonly browser: string; readonly name: string },
): Promise<Added> {
  const sent = parse<RegistrationResponseJSON>(text);
  const challengedAt = sent && (await readChallenge(deps.db, sent.challenge, browser, `add ${personId}`));
  if (!challengedAt) return 'wrong';
  const { verifyRegistrationResponse } = await library();
  const verified = await verifyRegistrationResponse({
    response: sent.response,
    ...expected(deps, sent),
  }).catch(() => undefined);
  if (!verified?.verified) return 'wrong';
  const { credential } = verified.registrationInfo;
  return insertPasskey(deps.db, {
    ...{ id: credential.id, personId, counter: credential.counter, name, challengedAt },
    publicKey: Buffer.from(credential.publicKey),
    transports: transportsOf(sent.response),
  });
}

/**
 * Checks what a passkey has signed, and uses up the challenge.
 *
 * @param personId whose passkey it must be @default anybody's
 * @returns the person, or undefined
 */
export async function checkPasskey(
  deps: PasskeyDeps,
  attempt: { readonly text: string; readonly browser: string; readonly purpose: 'sign in' | 'confirm' },
  personId?: string,
): Promise<string | undefined> {
  const { db } = deps;
  const { text, browser, purpose } = attempt;
  const sent = parse<AuthenticationResponseJSON>(text);
  const challengedAt = sent && (await readChallenge(db, sent.challenge, browser, purpose));
  if (!challengedAt) return undefined;
  const { response } = sent;
  const passkey = await findPasskey(db, response.id);
  if (!passkey || (personId !== undefined && passkey.personId !== personId)) return undefined;
  // A device that was asked for any passkey says whose it is.
  const { userHandle } = response.response;
  if (userHandle === undefined ? personId === undefined : userHandle !== base64url(passkey.personId))
    return undefined;
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response,
    ...expected(deps, sent),
    credential: {
      ...describe(passkey),
      publicKey: Uint8Array.from(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { newCounter: counter } = verified.authenticationInfo;
  return (await spendChallenge(db, passkey.id, { challengedAt, counter })) ? passkey.personId : undefined;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

interface Sent<Response> {
  readonly response: Response;
  readonly challenge: string;
  readonly origin: string;
}

const expected = (deps: PasskeyDeps, { challenge, origin }: Sent<unknown>) => ({
  expectedChallenge: challenge,
  expectedOrigin: originOf(deps, origin),
  expectedRPID: hostOf(deps),
  requireUserVerification: true,
});

/** The origin that a page of this service has. On this machine, its port is not known in advance. */
function originOf({ settings: { publicUrl } }: Pick<Deps, 'settings'>, origin: string): string {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  const isHere = URL.canParse(origin) && new URL(origin).hostname === 'localhost';
  return isHere ? origin : 'http://localhost';
}

/** Reads the JSON of a browser. The library checks the rest. @returns undefined for anything else */
function parse<Response extends RegistrationResponseJSON | AuthenticationResponseJSON>(
  text: string,
): Sent<Response> | undefined {
  try {
    const response = JSON.parse(text) as Response;
    if (typeof response.id !== 'string') return undefined;
    const clientData = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString()) as {
      readonly challenge?: unknown;
      readonly origin?: unknown;
    };
    const { challenge, origin } = clientData;
    if (typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
    return { response, challenge, origin };
  } catch {
    return undefined;
  }
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Only those that are known, because the browser may send any text. */
const transportsOf = ({ response: { transports } }: RegistrationResponseJSON): string[] =>
  Array.isArray(transports) ? TRANSPORTS.filter((known) => (transports as string[]).includes(known)) : [];
