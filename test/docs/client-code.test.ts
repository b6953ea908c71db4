/** Runs the code of the API page and of docs/recipes/api-clients.md in each language whose interpreter is installed. */
import type { AddressInfo } from 'node:net';
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, TRIES } from '../../docs/site/client-code.ts';
import { makeAccount } from '../service/support/account.ts';
import { answerWith, canRun, INTERPRETERS, runCode } from '../service/support/client-code.ts';
import { testDatabase } from '../service/support/database.ts';
import { DOCS } from '../service/support/docs.ts';
import { startStoredService, storeKey } from '../service/support/stored-service.ts';
import { BLOCKS } from './blocks.ts';

const { db } = await testDatabase();

const isInstalled = (language: string) => canRun(INTERPRETERS[language]!.probe);
const missing = LANGUAGES.filter(({ id }) => !isInstalled(id)).map(({ name }) => name);
if (missing.length > 0) console.warn(`left out, because it is not installed: ${missing.join(', ')}`);

/** A service that listens, and the code of its page with the key of an account. */
async function open() {
  const { app } = await startStoredService(db, { docs: DOCS });
  const accountId = await makeAccount(db, 7);
  const { key } = await storeKey(db, accountId);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const window = new Window();
  window.document.write((await app.inject('/docs/api/')).body);
  const codeOf = (operation: string, language: string) =>
    window.document
      .querySelector(`details[name="code-${operation}"] .language-${language}`)!
      .textContent.replaceAll('http://127.0.0.1:8080', origin)
      .replaceAll('test_your_key', key);
  return { app, key, codeOf };
}

const ids = LANGUAGES.map(({ name, id }) => [name, id] as const);

describe.each(ids.filter(([, id]) => isInstalled(id)))('the code of the API page in %s', (_, id) => {
  it('sends each request, and prints its response', async () => {
    const { app, key, codeOf } = await open();
    const run = (operation: string, change = (code: string) => code) =>
      runCode(id, change(codeOf(operation, id)));
    for (const operation of ['verify', 'verifyByPost']) {
      const { exitCode, printed } = await run(operation);
      expect([exitCode, printed]).toEqual([0, expect.stringMatching(/state\W+deliverable\b/)]);
    }
    expect((await run('account')).printed).toMatch(/available_credits\W+7\b/);
    const { printed } = await run('createBatch');
    const batch = /\b[0-9a-f]{24}\b/.exec(printed)?.[0] ?? printed;
    const { emails } = (
      await app.inject({ url: `/v1/batch?id=${batch}`, headers: { authorization: `Bearer ${key}` } })
    ).json();
    expect(emails.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.org',
      'bo@example.org',
    ]);
    const status = await run('batch', (code) => code.replace('your_batch_id', batch));
    expect(status.printed).toContain('Batch verification completed.');
  });

  // A command has no loop. It shows the status.
  if (id !== 'sh')
    it('sends a request again after a 249, and not for ever', async () => {
      const { write } = LANGUAGES.find((language) => language.id === id)!;
      const request = {
        method: 'GET',
        key: 'test_key',
        fields: { email: 'a+b@c.example' },
        mayTakeLonger: true,
      };
      for (const method of ['GET', 'POST']) {
        const soon = await answerWith(249, 249, 200);
        const ended = await runCode(id, write({ ...request, method, url: `${soon.url}/v1` }));
        expect([ended.exitCode, ended.printed]).toEqual([0, expect.stringContaining('deliverable')]);
        expect(soon.asked).toHaveLength(3);
        if (method === 'GET') expect(soon.asked[0]!.url).toBe('/v1?email=a%2Bb%40c.example');
        expect(soon.asked[0]!.headers.authorization).toBe('Bearer test_key');
      }
      const never = await answerWith(249);
      const ended = await runCode(id, write({ ...request, url: never.url }));
      expect(ended.exitCode).toBeGreaterThan(0);
      expect(ended.printed).toContain('because of 249');
      expect(never.asked).toHaveLength(TRIES);
    });

  it('prints the message of an error, and ends as a failure', async () => {
    const { write } = LANGUAGES.find((language) => language.id === id)!;
    const { url, asked } = await answerWith(402);
    for (const method of ['GET', 'POST']) {
      const request = { method, url, key: 'test_key', fields: { email: 'a@b.example' } };
      const ended = await runCode(id, write({ ...request, mayTakeLonger: false }));
      expect(ended.exitCode).toBeGreaterThan(0);
      expect(ended.printed).toContain('because of 402');
    }
    expect(asked).toHaveLength(2);
  });
});

/** The libraries of the recipe, and what tells that they are installed. */
const LIBRARIES = [
  ['Python and requests', 'python', ['python3', '-c', 'import requests']],
  ['PHP and curl', 'php', ['php', '-r', 'exit((int) !function_exists("curl_init"));']],
] as const;

describe.each(LIBRARIES)('the recipe api-clients for %s', (_, language, probe) => {
  const { code } = BLOCKS.find(
    (block) => block.file === 'docs/recipes/api-clients.md' && block.language === language,
  )!;
  it.runIf(canRun(probe))('has the result after a 249, and tells an error', async () => {
    const at = (url: string) => code.replace('http://127.0.0.1:8080', url);
    const soon = await answerWith(249, 200);
    expect((await runCode(language, at(soon.url))).printed.trim()).toBe('deliverable');
    expect(soon.asked[1]!.url).toBe('/v1/verify?email=deliverable%40example.com&accept_all=true');
    const refused = await runCode(language, at((await answerWith(403)).url));
    expect(refused.printed).toContain('because of 403');
    const never = await answerWith(249);
    expect((await runCode(language, at(never.url))).exitCode).toBeGreaterThan(0);
    expect(never.asked).toHaveLength(TRIES);
  });
});
