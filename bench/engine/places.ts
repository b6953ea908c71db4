/** The IP addresses of the benchmark's mail servers, and the email addresses at them. */

export const SERVERS = 8;

export const ipOf = (number: number) => `127.0.3.${number + 1}`;
export const domainOf = (number: number) => `bench-${number}.test`;
export const hostOf = (number: number) => `mx.${domainOf(number)}`;

/** The limits of conversations with one organisation, and of addresses in one conversation. */
export const CONNECTIONS = 16;
export const RECIPIENTS = 100;

/** New addresses for a round, at each server in turn. */
export const addressesFrom = (first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `user${first + index}@${domainOf(index % SERVERS)}`);
