/** The service's limit of requests per second: the one way to a 429 with a test key, which has no daily limit. */

/** One more than the service answers in a second. */
const TOO_MANY = 26;
const MOST_ROUNDS = 5;
const RATE_LIMITED = 429;

/** Uses up the present second, so that the next request is answered with a 429. */
export async function exceedRateLimit() {
  const url = '/v1/verify?api_key=test_public_demo&email=deliverable%40example.com';
  const ask = () => fetch(url, { cache: 'no-store' }).then(({ status }) => status);
  // A new second may begin in the middle of a round: then the next one is early in it.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const statuses = await Promise.all(Array.from({ length: TOO_MANY }, ask));
    if (statuses.at(-1) === RATE_LIMITED) return;
  }
}
