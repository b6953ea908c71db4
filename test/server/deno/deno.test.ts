/** The built entry in Deno, whose WebCrypto and `fetch` are its own. test/docs/server.test.ts has a program in it. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeTemporaryFolder } from '../../service/support/temporary-folder.ts';
import { denoEnvironment, denoProgram } from './program.ts';

/** What vitest writes of a run. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

it('passes the tests of the sources, but for a curve that Deno does not compare', async () => {
  const folder = makeTemporaryFolder('deno-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const report = join(folder, 'report.json');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/server/deno/vitest.config.ts'];
  const options = ['--reporter=dot', '--reporter=json', `--outputFile=${report}`];
  const printed = await new Promise<string>((done) => {
    execFile(
      denoProgram(),
      ['run', '--allow-all', '--no-remote', ...vitest, ...options],
      { env: { ...process.env, ...denoEnvironment(folder) } },
      (_error, stdout, stderr) => done(stdout + stderr),
    );
  });
  expect(printed).not.toContain('Unhandled');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  expect(testResults.map(({ message }) => message)).toEqual(['', '', '', '']);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(tests.length).toBeGreaterThan(300);
  const failed = tests.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName);
  // Deno takes the coordinates for those of P-256, whatever `crv` says. The key is the service's own all the same.
  expect(failed).toEqual(['the keys of the service leave out a key of another curve, and keep the others']);
});
