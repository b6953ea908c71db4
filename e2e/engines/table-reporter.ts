/**
 * Prints at the end the result of each spec in each engine, and the missing engines, so that a test that did not run does
 * not look passed. With `npm run e2e:engines`, each test has its own line.
 */
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';
import { isLong } from '../../test/long.mjs';
import { ENGINES, type EngineName, findEngines, firefoxRefusal } from './engines.mjs';

const MISSING = '  –  ';

/** How many lines of its error the end of a run repeats of each test that has failed. */
const MOST_LINES = 12;

export default class TableReporter implements Reporter {
  #root: Suite | undefined;
  #projects: string[] = [];
  #errors: TestError[] = [];

  onBegin(config: FullConfig, root: Suite): void {
    this.#root = root;
    this.#projects = config.projects.map(({ name }) => name);
  }

  /** An error outside of every test, such as one of the server that a worker shares. It fails the run. */
  onError(error: TestError): void {
    this.#errors.push(error);
  }

  onEnd({ status }: FullResult): void {
    const missing = (Object.keys(ENGINES) as EngineName[]).filter((name) => !findEngines()[name]);
    console.log(`\n${this.#table()}`);
    for (const name of missing) {
      // The loop needs Chromium only.
      if (name === 'shell' || !isLong) continue;
      const { title, packages } = ENGINES[name];
      const refusal = name === 'firefox' && firefoxRefusal();
      console.log(
        `NOT TESTED in ${title}: ${refusal || 'there is none here.'} \`npx playwright install ${name}\` or \`sudo apt-get install ${packages.join(' ')}\` brings it.`,
      );
    }
    if (status === 'passed') return;
    const failed = (this.#root?.allTests() ?? []).filter((test) => test.outcome() === 'unexpected');
    console.log(`\nThe run has ${status}.`);
    for (const test of failed) {
      console.log(`FAILED: ${test.titlePath().filter(Boolean).join(' › ')}`);
      const { message = '' } = test.results.at(-1)?.error ?? {};
      console.log(stripVTControlCharacters(message).split('\n').slice(0, MOST_LINES).join('\n'));
    }
    for (const { stack, message } of this.#errors) console.log(`OUTSIDE OF A TEST: ${stack ?? message}`);
  }

  /** A line for each spec, or each test, and a column for each engine. */
  #table(): string {
    const rows = new Map<string, Map<string, TestCase[]>>();
    for (const test of this.#root?.allTests() ?? []) {
      const [, project = '', file = '', ...titles] = test.titlePath();
      const name = process.env.EVERY_ENGINE ? [file, ...titles].join(' › ') : file;
      const row = rows.get(name) ?? new Map<string, TestCase[]>();
      rows.set(name, row.set(project, [...(row.get(project) ?? []), test]));
    }
    const lines = [...rows].map(([name, row]) => [
      name,
      ...this.#projects.map((project) => result(row.get(project))),
    ]);
    const all = [['', ...this.#projects], ...lines];
    const widths = all[0]!.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
    return all
      .map((line) =>
        line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
      )
      .join('\n');
  }
}

/** The numbers of tests that passed and that did not. */
function result(tests: TestCase[] = []): string {
  if (tests.length === 0) return MISSING;
  const count = (outcome: ReturnType<TestCase['outcome']>) =>
    tests.filter((test) => test.outcome() === outcome).length;
  const failed = count('unexpected');
  const skipped = count('skipped');
  return [
    `${count('expected')} ok`,
    ...(skipped ? [`${skipped} left out`] : []),
    ...(failed ? [`${failed} FAILED`] : []),
  ].join(', ');
}
