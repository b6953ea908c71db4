/** `npm run laws` names what a removal has shown, also if it has shown nothing. */
import { expect, it } from 'vitest';
// @ts-expect-error The file is plain JavaScript.
import { outcomeOf, readReport, summaryOf } from './outcomes.mjs';

const GREEN = readReport({ status: 'passed', message: '', assertionResults: [passed('stays')] });
const RED = readReport({
  status: 'failed',
  message: '',
  assertionResults: [passed('stays'), failed('falls')],
});
const BROKEN = readReport({ status: 'failed', message: 'Cannot find it\nat …', assertionResults: [] });

it('counts a removal as noticed if a test fails that passes with the code', () => {
  expect(outcomeOf(RED, GREEN)).toEqual({ kind: 'noticed', detail: 'falls' });
});

it('counts a removal as not noticed if all tests pass without the code', () => {
  expect(outcomeOf(GREEN).kind).toBe('NOT NOTICED');
});

it('says of a test that fails with the code, too, that it shows nothing', () => {
  expect(outcomeOf(RED, RED)).toEqual({ kind: 'RED ANYWAY', detail: 'falls' });
  expect(outcomeOf(BROKEN, BROKEN)).toEqual({ kind: 'RED ANYWAY', detail: 'Cannot find it' });
});

it('counts a removal as noticed if another test of a red file fails', () => {
  const both = readReport({ status: 'failed', assertionResults: [failed('falls'), failed('stays')] });
  expect(outcomeOf(both, RED)).toEqual({ kind: 'noticed', detail: 'stays' });
});

it('does not count a file that cannot run without the code as a test that noticed', () => {
  expect(outcomeOf(BROKEN, GREEN)).toEqual({ kind: 'DID NOT RUN', detail: 'Cannot find it' });
});

it('ends with how many were noticed, and the command that tries the others again', () => {
  const noticed = { law: 'imports', kind: 'noticed' };
  expect(summaryOf([noticed, noticed])).toEqual(['Of 2 removals, tests noticed 2.']);
  const red = [
    { law: 'stops', kind: 'RED ANYWAY' },
    { law: 'stops', kind: 'RED ANYWAY' },
    { law: 'poison', kind: 'RED ANYWAY' },
  ];
  const lines = summaryOf([noticed, { law: 'erased', kind: 'NOT NOTICED' }, ...red]);
  expect(lines[0]).toBe('Of 5 removals, tests noticed 1.');
  expect(lines[1]).toMatch(/Write one: npm run laws -- erased$/);
  expect(lines[2]).toMatch(/Mend them, and try again: npm run laws -- stops poison$/);
});

function passed(fullName: string) {
  return { fullName, status: 'passed' };
}

function failed(fullName: string) {
  return { fullName, status: 'failed' };
}
