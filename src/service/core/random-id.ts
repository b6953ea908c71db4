/** The ids of batches and lists, and the ends of those of keys and accounts. */
import { randomBytes } from 'node:crypto';

export const makeId = (): string => randomBytes(12).toString('hex');

export const isId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{24}$/.test(text);
