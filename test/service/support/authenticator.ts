/** An authenticator with passkeys, which makes the JSON that browsers send (WebAuthn level 3). */
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { generateKeys } from '../../../src/service/core/generate-keys.ts';

export interface AuthenticatorOptions {
  /** @default the page of a service without a public URL */
  readonly origin?: string;
  readonly rpId?: string;
  /** Whether it knows who uses it. @default true */
  readonly isVerified?: boolean;
}

interface Request {
  readonly challenge: string;
}

interface Creation extends Request {
  readonly user: { readonly id: string };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  /** Of the person. */
  userHandle = '';
  counter = 0;
  private readonly key: KeyObject;
  private readonly publicKey: Buffer;

  constructor(private readonly options: AuthenticatorOptions = {}) {
    const { privateKey, publicKey } = generateKeys('P-256');
    const { x, y } = publicKey.export({ format: 'jwk' });
    this.key = privateKey;
    // COSE: EC2, ES256, P-256, x and y.
    this.publicKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x!, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y!, 'base64url'),
    ]);
  }

  /** Makes its passkey. */
  create({ challenge, user }: Creation, changes: AuthenticatorOptions = {}): string {
    this.userHandle = user.id;
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.publicKey]);
    const authData = Buffer.concat([this.data(ATTESTED, changes), attested]);
    // CBOR: a map of fmt, attStmt and authData.
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([authData.length]),
      authData,
    ]);
    return this.json({
      clientDataJSON: this.clientData('webauthn.create', challenge, changes),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Signs a challenge with its passkey. */
  get({ challenge }: Request, changes: AuthenticatorOptions & { readonly userHandle?: string } = {}): string {
    const authenticatorData = this.data(0, changes);
    const clientDataJSON = this.clientData('webauthn.get', challenge, changes);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.json({
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.key).toString('base64url'),
      userHandle: changes.userHandle ?? this.userHandle,
    });
  }

  private data(flags: number, changes: AuthenticatorOptions): Buffer {
    const { rpId = 'localhost', isVerified = true } = { ...this.options, ...changes };
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flagged = Buffer.from([flags | PRESENT | (isVerified ? VERIFIED : 0)]);
    return Buffer.concat([sha256(rpId), flagged, counter]);
  }

  private clientData(type: string, challenge: string, changes: AuthenticatorOptions): string {
    const { origin = 'http://localhost:8080' } = { ...this.options, ...changes };
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
  }

  private json(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}
