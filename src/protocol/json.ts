import { unlessItThrows } from './unless-it-throws.ts';

/** Parses a text as JSON; `undefined` if it is not JSON. */
export const jsonIn = (text: string): unknown => unlessItThrows(() => JSON.parse(text));
