/**
 * What a test's author can pass to the testing kit under `exactOptionalPropertyTypes`: `undefined` is an option that
 * is not given. Checked by `tsc`, never run.
 */
import type { Locator } from '@playwright/test';
import { type Answers, deliverable, result, startSandbox, undeliverable } from '../../src/testing/index.ts';
import { handlers } from '../../src/testing/msw.ts';
import { type SandboxOptions, test, waitForVerdict } from '../../src/testing/playwright.ts';

declare const input: Locator;
declare const answers: Answers | undefined;
declare const port: number | undefined;
declare const text: string | undefined;

const options: SandboxOptions = { answers, port, host: text };
void startSandbox(options);
test.use({ sandboxOptions: { answers, port, host: text } });
handlers({ answers, baseUrl: text });
void waitForVerdict(input, { timeout: port });

const given: Answers = {
  'a@b.example': { did_you_mean: text, state: undefined },
  'b@b.example': { status: port, body: text, delayMs: port, headers: undefined, cors: undefined },
};
void startSandbox({ answers: given });
for (const reply of [deliverable, undeliverable, result]) reply({ did_you_mean: text, free: undefined });

// @ts-expect-error a port is a number
void startSandbox({ port: '8080' });
// @ts-expect-error no answer has that name
void startSandbox({ answers: { 'a@b.example': 'undeliverabel' } });
