/** What the reports of a test file say about a removal. It runs nothing itself. */

/** The titles of the tests that fail, and whether anything of the file does, also what runs before its tests. */
export function readReport({ status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
  return { failed, isRed: status === 'failed', reason: failed[0] ?? message?.trim().split('\n')[0] ?? '' };
}

/**
 * Compares the file without and with the code. A test that fails with it as well says nothing about the law, and a file
 * that cannot run has no test that has failed.
 *
 * @param after without the code
 * @param before with the code. Not needed if nothing failed without it
 */
export function outcomeOf(after, before) {
  if (!after.isRed) return { kind: 'NOT NOTICED', detail: '' };
  const title = after.failed.find((failing) => !before.failed.includes(failing));
  if (before.isRed && title === undefined) return { kind: 'RED ANYWAY', detail: before.reason };
  if (title === undefined) return { kind: 'DID NOT RUN', detail: after.reason };
  return { kind: 'noticed', detail: title };
}

const ADVICE = {
  'NOT NOTICED': 'No test failed without the code of these laws. Write one:',
  'RED ANYWAY':
    'These tests fail with the code of the law, too, so they say nothing. Mend them, and try again:',
  'DID NOT RUN': 'These files cannot run without the code. Mend the removal, so that a test fails:',
};

/** The lines that end a run: how many were noticed, and what to do about the others. */
export function summaryOf(outcomes) {
  const of = (kind) => outcomes.filter((outcome) => outcome.kind === kind);
  const rest = Object.entries(ADVICE).flatMap(([kind, advice]) => {
    const laws = [...new Set(of(kind).map(({ law }) => law))];
    return laws.length === 0 ? [] : [`${advice} npm run laws -- ${laws.join(' ')}`];
  });
  return [`Of ${outcomes.length} removals, tests noticed ${of('noticed').length}.`, ...rest];
}
