/** What the service, and the captcha before it, can be made to do. The server's part is `src/service/demo/simulate-routes.ts`. */

/** `status` is what the widget's `error` event says of it; without one there is a verdict. */
export const ANSWERS = [
  { value: 'none', label: 'Normal' },
  { value: 'try-again-once', label: 'Try again (249), then a result' },
  { value: 'try-again', label: 'Try again (249), until the time limit', status: 249 },
  { value: 'rate-limit', label: 'Rate limit reached (429)', status: 429 },
  { value: 'key-refused', label: 'Key refused (403)', status: 403 },
  { value: 'server-error', label: 'Server error (500)', status: 500 },
  { value: 'maintenance', label: 'Maintenance (503)', status: 503 },
  { value: 'offline', label: 'Offline: no connection', status: 0 },
  { value: 'no-answer', label: 'No response', status: 0 },
  { value: 'cut-off', label: 'A response that breaks off', status: 0 },
  { value: 'nonsense', label: 'A response without a result', status: 200 },
  { value: 'foreign-page', label: 'The sign-in page of a Wi-Fi network', status: 200 },
];

const CAPTCHAS = [
  { value: 'none', label: 'None' },
  { value: 'itself', label: 'Solves itself' },
  { value: 'visitor', label: 'Solved by the visitor in the form' },
  { value: 'never', label: 'Never solved', status: 0 },
  { value: 'fails', label: 'Fails: the script throws an error', status: 0 },
  { value: 'refused', label: 'Token refused by the service (403)', status: 403 },
];

/** What happens to the widget's second file, which has what a visitor sees. `preview.js` does it. */
const FACES = [
  { value: 'none', label: 'Loads' },
  { value: 'late', label: 'Loads 2 seconds late' },
  { value: 'missing', label: 'Missing (404)' },
  { value: 'changed', label: 'Changed: the browser refuses it' },
];

/** @type {import('./options.js').Setting[]} */
export const SIMULATIONS = [
  {
    path: 'simulate.answer',
    kind: 'menu',
    label: 'Response of the service',
    values: ANSWERS.map(({ value }) => value),
    labels: ANSWERS.map(({ label }) => label),
    initial: 'none',
  },
  {
    path: 'simulate.latency',
    kind: 'number',
    label: 'Latency',
    initial: '0',
    range: { max: 8000, step: 250, unit: 'ms' },
    says: 'Milliseconds by which each response is delayed.',
  },
  {
    path: 'simulate.captcha',
    kind: 'menu',
    label: 'Captcha',
    values: CAPTCHAS.map(({ value }) => value),
    labels: CAPTCHAS.map(({ label }) => label),
    initial: 'none',
  },
  {
    path: 'simulate.face',
    kind: 'menu',
    label: 'Second file of the widget',
    values: FACES.map(({ value }) => value),
    labels: FACES.map(({ label }) => label),
    initial: 'none',
    says: 'It has the status that a visitor sees, and loads when the field is first used.',
  },
];

const LONGEST_MS = 30_000;

/** Where the stand-in for a captcha in the form keeps its token. */
const CAPTCHA_SELECTOR = '[name=captcha-response]';

/** @returns {number} a latency that the server knows, whatever has been typed */
function latencyOf(texts) {
  const number = Math.round(Number(texts['simulate.latency']));
  return number > 0 ? Math.min(number, LONGEST_MS) : 0;
}

/**
 * What is simulated, as options that go over the page's own.
 *
 * @param {Record<string, string>} texts all settings
 * @returns {Record<string, unknown>} nothing where nothing is simulated
 */
export function simulatedOptions(texts, serviceUrl) {
  const captcha = texts['simulate.captcha'];
  const asked = texts['simulate.answer'];
  const answer = asked === 'none' && captcha !== 'none' ? 'captcha' : asked;
  const latency = latencyOf(texts);
  const options = {};
  if (answer !== 'none' || latency > 0) options.baseUrl = `${serviceUrl}/simulate/${answer}/${latency}`;
  if (captcha !== 'none') options.captcha = CAPTCHA_SOURCES[captcha];
  return options;
}

const CAPTCHA_SOURCES = {
  itself: async () => 'solved',
  visitor: CAPTCHA_SELECTOR,
  never: () => new Promise(() => {}),
  fails: () => Promise.reject(new Error('The captcha’s script could not be loaded.')),
  refused: async () => 'guessed',
};

/** What comes of any address that is sent, where that is not for the address to say. */
export function simulatedStatus(texts) {
  const statusOf = (list, value) => list.find((item) => item.value === value)?.status;
  const captcha = statusOf(CAPTCHAS, texts['simulate.captcha']);
  // A token that never comes keeps the question from being asked; one that is refused has to be sent first.
  if (captcha === 0) return 0;
  const tooSlow = latencyOf(texts) >= Number(texts.verificationTimeout) * 1000;
  return tooSlow ? 0 : (statusOf(ANSWERS, texts['simulate.answer']) ?? captcha);
}
