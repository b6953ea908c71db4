/** Where the mail servers of the benchmark are, and which addresses there are at them. */

export const SERVERS = 8;

export const ipOf = (number: number) => `127.0.3.${number + 1}`;
export const domainOf = (number: number) => `bench-${number}.test`;
export const hostOf = (number: number) => `mx.${domainOf(number)}`;

/** So many conversations with one organisation at the same time, and so many addresses in one. */
export const CONNECTIONS = 16;
export const RECIPIENTS = 100;

/** Addresses that no round before had, at each server in turn. */
export const addressesFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `user${first + index}@${domainOf(index % SERVERS)}`);
