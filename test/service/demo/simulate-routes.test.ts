/** The failures that the demo simulates, as a page's widget meets them. */
import { request as openRequest } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { createFolder } from '../../folder.ts';
import { listenService } from '../raw.ts';
import { startService } from '../testing.ts';

const { path: demoFolder, write } = createFolder();
write('index.html', '<!doctype html>');

const verify = (trouble: string, more = '', key = 'test_private') =>
  `/simulate/${trouble}/v1/verify?api_key=${key}&email=deliverable@example.com${more}`;

const ask = (url: string) => startService({ demoFolder, isDemo: true }).ask({ url });

const RESULT = expect.objectContaining({ state: 'deliverable', email: 'deliverable@example.com' });
const MESSAGE = { message: expect.stringMatching(/\w/) };

describe('in simulated trouble, a request', () => {
  it.each([
    ['none/0', '', 200, RESULT],
    ['try-again/0', '', 249, MESSAGE],
    ['rate-limit/0', '', 429, { message: 'Rate Limit Exceeded' }],
    ['key-refused/0', '', 403, { message: expect.stringContaining('key') }],
    ['server-error/0', '', 500, MESSAGE],
    ['maintenance/0', '', 503, { message: expect.stringContaining('maintained') }],
    ['captcha/0', '', 403, { message: expect.stringContaining('captcha') }],
    ['captcha/0', '&captcha_response=guessed', 403, { message: expect.stringContaining('captcha') }],
    ['captcha/0', '&captcha_response=solved', 200, RESULT],
    ['nonsense/0', '', 200, { state: 'perhaps' }],
    ['server-error/0', '&timeout=99', 400, { message: expect.stringContaining('timeout') }],
  ])('under %s%s gets a %i', async (trouble, more, status, body) => {
    const answer = await ask(verify(trouble, more));
    expect([answer.statusCode, answer.json()]).toEqual([status, body]);
  });

  it('gets a page that is none of ours', async () => {
    const { statusCode, headers, body } = await ask(verify('foreign-page/0'));
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html']);
    expect(body).toContain('Sign in');
  });

  it('is sent back once for each address', async () => {
    const { ask } = startService({ demoFolder, isDemo: true });
    const statuses = [];
    for (const more of ['', '', '', '&email=']) {
      const url = verify('try-again-once/0').replace('deliverable@', more ? 'other@' : 'deliverable@');
      statuses.push((await ask({ url })).statusCode);
    }
    expect(statuses).toEqual([249, 200, 249, 249]);
  });

  it('is answered no sooner than was asked for', async () => {
    const answer = ask(verify('none/1500'));
    const settled = vi.fn();
    void answer.then(settled);
    await vi.advanceTimersByTimeAsync(1499);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).statusCode).toBe(200);
  });

  it('with a key that is refused is refused all the same', async () => {
    expect((await ask(verify('none/0', '', 'test_wrong'))).statusCode).toBe(403);
    expect((await ask(verify('none/0', '').replace(/api_key=\w+&/, ''))).statusCode).toBe(401);
  });

  it.each(['unheard-of/0', 'constructor/0', 'none/30001', 'none/-1', 'none/1e3', 'none/soon'])(
    'under %s gets a 404',
    async (trouble) => {
      expect((await ask(verify(trouble))).statusCode).toBe(404);
    },
  );

  it('is possible only where the demo is', async () => {
    expect((await startService().ask({ url: verify('none/0') })).statusCode).toBe(404);
  });

  it.each([
    ['offline/0', 'socket hang up'],
    ['cut-off/0', 'aborted'],
  ])('under %s sees its connection break', async (trouble, message) => {
    const { port } = await listenService({ demoFolder, isDemo: true });
    const ended = new Promise((resolve) => {
      openRequest({ port, path: verify(trouble) }, (response) => response.on('error', resolve).resume())
        .on('error', resolve)
        .end();
    });
    expect(await ended).toMatchObject({ message });
  });

  it('hears nothing, until it gives up', async () => {
    const { port, server } = await listenService({ demoFolder, isDemo: true });
    const heard = vi.fn();
    const request = openRequest({ port, path: verify('no-answer/0') }, heard).on('error', () => {});
    request.end();
    // A second request's answer comes after the first would have come.
    const after = new Promise((resolve) => {
      openRequest({ port, path: verify('none/0'), agent: false }, (response) =>
        response.on('end', () => resolve(response.statusCode)).resume(),
      ).end();
    });
    expect(await after).toBe(200);
    expect(heard).not.toHaveBeenCalled();
    request.destroy();
    // Nor does the connection stay, for the service to wait for when it ends.
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await vi.waitFor(async () => expect(await connections()).toBe(0));
  });
});
