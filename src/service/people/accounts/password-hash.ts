/** Hashes and checks passwords with scrypt. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of a hash: the parameters of scrypt. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/**
 * One of the equally strong settings of OWASP's Password Storage Cheat Sheet. It needs 32 MiB of memory and about a
 * third of a second. The others of equal strength need more memory for less time, down to N = 2^17 and p = 1 with 128 MiB,
 * of which strangers could occupy several times as much by guessing.
 */
const COST: PasswordCost = { N: 2 ** 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Scrypt needs 128 * N * r bytes. Node's own limit is exactly that for N = 2^15, which is too little. */
const MAX_MEMORY = 256 * 1024 * 1024;

/**
 * Hashes a password with a new salt.
 *
 * @returns `scrypt$N$r$p$salt$hash`, salt and hash in Base64, so that the cost can change later
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/**
 * Checks a password.
 *
 * @param stored the result of `hashPassword`, or undefined for an unknown account. Both take the same time, and so does a
 * hash of a lower cost, so the time does not reveal whether the account exists. @param usual the cost of new hashes
 */
export async function checkPassword(
  password: string,
  stored: string | undefined,
  usual = COST,
): Promise<boolean> {
  const { salt, hash, cost } = stored === undefined ? { ...NO_HASH, cost: usual } : parse(stored);
  const derived = await derive(password, salt, hash.length, cost);
  const missing = Math.round((workOf(usual) - workOf(cost)) / (usual.N * usual.r));
  if (missing > 0) await derive(password, salt, hash.length, { ...usual, p: missing });
  return timingSafeEqual(derived, hash) && stored !== undefined;
}

const workOf = ({ N, r, p }: PasswordCost): number => N * r * p;

/** Whether a hash was made at a lower cost than new ones. */
export const isTooCheap = (stored: string, usual = COST): boolean =>
  workOf(parse(stored).cost) < workOf(usual);

/** For an unknown account. */
const NO_HASH = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };

function parse(stored: string) {
  const [, N, r, p, salt, hash] =
    /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/.exec(stored) ?? [];
  if (!salt || !hash)
    throw new Error('Expected a password hash that begins with "scrypt$", got another text.');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  return { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64'), cost };
}

function derive(password: string, salt: Buffer, bytes: number, cost: PasswordCost): Promise<Buffer> {
  const options: ScryptOptions = { ...cost, maxmem: MAX_MEMORY };
  return new Promise((resolve, reject) => {
    // Browsers and terminals compose accents differently.
    scrypt(password.normalize('NFC'), salt, bytes, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}
