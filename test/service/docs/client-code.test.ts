/** The code of a request, of which one language runs here. test/docs/client-code.test.ts runs all of them. */
import { expect, it } from 'vitest';
import { type ClientRequest, LANGUAGES, TRIES } from '../../../docs/site/client-code.ts';
import { answerWith, runCode } from '../support/client-code.ts';
import { DOCS } from '../support/docs.ts';
import { startService } from '../testing.ts';

const writeIn = (name: string, request: Partial<ClientRequest>) =>
  LANGUAGES.find((language) => language.name === name)!.write({
    ...{ method: 'GET', url: 'https://verify.example/v1/verify', key: 'test_key' },
    ...{ fields: { email: 'jane@company.example' }, mayTakeLonger: true },
    ...request,
  });

it('sends a request again after a 249, until it has the result', async () => {
  const { url, asked } = await answerWith(249, 249, 200);
  const { exitCode, printed } = await runCode('js', writeIn('JavaScript', { url }));
  expect([exitCode, printed.trim()]).toEqual([0, "{ state: 'deliverable' }"]);
  expect(asked.map((request) => request.url)).toEqual(Array(3).fill('/?email=jane%40company.example'));
});

it('writes the literals of each language, with quotes where a text ends', () => {
  const fields = { emails: ["o'neil@a.example", 'b"c@d.example'] };
  const request = { method: 'POST', fields, mayTakeLonger: false } as const;
  const written = LANGUAGES.map(({ name }) => writeIn(name, request));
  const list = String.raw`"o'neil@a.example", "b\"c@d.example"`;
  const expected = [
    String.raw`-d '{"emails":["o'\''neil@a.example","b\"c@d.example"]}'`,
    `{ "emails": [${list}] }`,
    `{"emails": [${list}]}`,
    `["emails" => [${list}]]`,
    `map[string]any{"emails": []string{${list}}}`,
    `{ "emails" => [${list}] }`,
  ];
  for (const [index, text] of expected.entries()) expect(written[index]).toContain(text);
});

it('repeats no request whose response has no 249', () => {
  for (const { name } of LANGUAGES)
    expect(writeIn(name, { mayTakeLonger: false })).not.toMatch(new RegExp(`249|tries|\\b${TRIES}\\b`));
});

it('is on the API page, in six languages for each operation, with the public URL of the config', async () => {
  const open = async (options: object) =>
    (await startService({ docs: DOCS, ...options }).ask({ url: '/docs/api/' })).body;
  const page = await open({ publicUrl: 'https://verify.example/below' });
  for (const operation of ['verify', 'verifyByPost']) {
    const names = page.match(new RegExp(`<details name="code-${operation}">\\n<summary>\\w+`, 'g')) ?? [];
    expect(names.map((text) => text.split('>').at(-1))).toEqual(LANGUAGES.map(({ name }) => name));
  }
  expect(page).toContain('curl --fail-with-body -G https://verify.example/below/v1/verify');
  expect(page).toContain('Bearer test_your_key');
  expect(page).not.toContain('data-origin');
  // The page's script puts in the origin of the page.
  expect(await open({})).toContain('<code class="language-sh" data-origin="http://127.0.0.1:8080">');
  expect(await open({ isDemo: true })).toContain('Bearer test_private_demo');
});
