/** The one source of time for everything that counts, so that tests can turn it on by days. */

/** @returns the present time in milliseconds since 1970 (UTC) */
export type Clock = () => number;

export const machineClock: Clock = () => Date.now();
