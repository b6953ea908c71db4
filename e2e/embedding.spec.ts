/** How the widget gets onto a page, and what it tells the page's author. */
import { dataAttributes, expect, FORM, PUBLIC_KEY, QUEUE_STUB, TEXTS, test } from './fixtures.ts';

for (const embed of ['queue', 'data', 'module'] as const) {
  test(`verifies an address and shows the verdict if embedded by ${embed}`, async ({ widgetPage }) => {
    await widgetPage.open(FORM, { embed });
    await widgetPage.enter('no@example.com');
    const request = await widgetPage.service.nextRequest();
    expect(request.path).toBe('/v1/verify');
    expect(request.query).toMatchObject({ email: 'no@example.com', api_key: PUBLIC_KEY });
    await widgetPage.expectState('rejected');
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  });

  test(`uses options other than the key if embedded by ${embed}`, async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, {
      embed,
      clock: 'paused',
      options: { verifyAfterDelay: 300, verificationTimeout: 8, method: 'POST' },
    });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest(299);
    await widgetPage.pass(1);
    expect(await service.nextRequest()).toMatchObject({ method: 'POST', body: { timeout: '8' } });
  });
}

test('finds its queue and its origin if a loader injects the script tag', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script>${QUEUE_STUB} emailVerify('apiKey', 'injected_key');</script>`,
    after: `var tag = document.createElement('script'); tag.async = true; tag.src = '${service.origin}/v2/';
      document.head.append(tag);`,
  });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).query.api_key).toBe('injected_key');
});

test('reads the data- attributes of a tag that a loader injects', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM, {
    embed: 'none',
    after: `var tag = document.createElement('script'); tag.async = true; tag.src = '${service.origin}/v2/';
      tag.setAttribute('data-api-key', 'injected_key'); document.head.append(tag);`,
  });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).query.api_key).toBe('injected_key');
});

test('names the global function by EmailVerifyObject', async ({ page, service, widgetPage }) => {
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script>
        window.EmailVerifyObject = 'checkMail';
        window.checkMail = function () { (checkMail.q = checkMail.q || []).push(arguments) };
        checkMail('apiKey', 'renamed_key');
      </script>
      <script async src="${service.origin}/v2/"></script>`,
  });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).query.api_key).toBe('renamed_key');
  expect(await page.evaluate('typeof emailVerify')).toBe('undefined');
  await page.evaluate(`checkMail('apiKey', 'renamed_again')`);
  await widgetPage.enter('jane@example.com');
  expect((await service.nextRequest()).query.api_key).toBe('renamed_again');
});

test('ignores an EmailVerifyObject that is not a string, but an element', async ({ service, widgetPage }) => {
  await widgetPage.open(`<div id="EmailVerifyObject"></div>${FORM}`);
  await widgetPage.enter('joe@example.com');
  await service.nextRequest();
});

test('adds one name to the page, and loads only its face', async ({ page, service, widgetPage }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  const names = () => page.evaluate(() => Object.getOwnPropertyNames(window));
  await widgetPage.open(FORM, { embed: 'none' });
  const pageItself = loaded.length;
  const before = await names();
  await page.addScriptTag({ url: `${service.origin}/v2/` });
  await widgetPage.call({ apiKey: PUBLIC_KEY, messages: TEXTS });
  await widgetPage.enterAndRead('no@example.com', TEXTS.invalid);
  // Playwright's own names begin with two underscores.
  const added = (await names()).filter((name) => !before.includes(name) && !name.startsWith('__'));
  expect(added).toEqual(['emailVerify']);
  expect(loaded.slice(pageItself).sort()).toEqual([
    '/v1/verify',
    '/v2/',
    '/v2/email-verify-widget-status.js',
  ]);
});

test('sends requests of the module to the origin of the module', async ({ page, service, widgetPage }) => {
  await widgetPage.open(FORM, { embed: 'none' });
  await page.evaluate(
    `import('${service.origin}/v2/index.js').then(({ install }) => { install({ apiKey: 'module_key' }) })`,
  );
  await widgetPage.enter('joe@example.com');
  const { query, headers } = await service.nextRequest();
  expect(query.api_key).toBe('module_key');
  expect(headers.host).toBe(new URL(service.origin).host);
});

test('warns and does nothing in a second copy, if installed by script and module', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.page.evaluate(
    `import('${widgetPage.service.origin}/v2/index.js').then(({ install }) => { install({ apiKey: 'module_key' }) })`,
  );
  await expect.poll(() => widgetPage.warnings).toHaveLength(1);
  await widgetPage.enter('joe@example.com');
  await widgetPage.nextEvent('verified');
  await widgetPage.settle(1_000);
  expect(widgetPage.service.requests.map(({ query }) => query.api_key)).toEqual([PUBLIC_KEY]);
  expect(await widgetPage.events('verified')).toHaveLength(1);
  await expect(widgetPage.status).toHaveCount(1);
});

test('warns once of a wrong value in a data- attribute, and uses the default', async ({ widgetPage }) => {
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script src="${widgetPage.service.origin}/v2/" ${dataAttributes({ apiKey: 'k', verifyAfterDelay: 'soon' })}></script>`,
  });
  await expect.poll(() => widgetPage.warnings).toHaveLength(1);
  expect(widgetPage.warnings[0]).toContain('soon');
  await widgetPage.enter('joe@example.com');
  await widgetPage.service.nextRequest();
});

test('does not throw for anything that a page passes in', async ({ page, service, widgetPage }) => {
  await widgetPage.open(FORM);
  const thrown = await page.evaluate(async () => {
    const call = (...all: unknown[]) => Reflect.apply(Reflect.get(window, 'emailVerify'), window, all);
    const throwing = {
      get apiKey() {
        throw new Error('getter');
      },
    };
    const circular: Record<string, unknown> = {};
    circular.allow = circular;
    const hostileProxy = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('proxy');
        },
      },
    );
    const values = [
      undefined,
      null,
      0,
      Number.NaN,
      -1,
      '',
      'x',
      Symbol('s'),
      10n,
      true,
      [],
      {},
      () => {},
      Object.create(null),
    ];
    const names = [
      ...['allow', 'messages', 'style', 'inputSelector', 'ignoredForms', 'ignoredInputs', 'statusAppendTo'],
      ...['captcha', 'verifyOn', 'method'],
    ];
    const calls: unknown[][] = [
      [],
      [throwing],
      [circular],
      [hostileProxy],
      ['verify'],
      ['verify', document],
      ['set'],
    ];
    for (const value of values) {
      calls.push([value], [value, value], ['verify', value]);
      for (const name of names) calls.push([name, value]);
    }
    const failures: string[] = [];
    for (const parameters of calls) {
      try {
        await call(...parameters);
      } catch (error) {
        failures.push(`${parameters.map(String).join(', ')}: ${error}`);
      }
    }
    return failures;
  });
  expect(thrown).toEqual([]);
  await widgetPage.call({
    apiKey: 'still_alive',
    inputSelector: '#email',
    captcha: '#send',
    verifyOn: 'input',
  });
  await widgetPage.enter('joe@example.com');
  await service.nextRequest();
});

test('does not throw for any event that a page dispatches', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM, { clock: 'real' });
  await widgetPage.email.fill('joe@example.com');
  await page.evaluate(() => {
    const types = 'focusin input submit click keydown change invalid reset formdata'.split(' ');
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'form');
    const input = document.createElementNS(svg.namespaceURI, 'input');
    input.setAttribute('type', 'email');
    const text = new Text('text');
    document.body.append(svg, input, text, document.createElement('div'));
    const frame = document.body.appendChild(document.createElement('iframe'));
    const foreign = frame.contentDocument!.createElement('form');
    document.body.append(foreign);
    const targets = [window, document, document.body, document.body.lastChild!, svg, input, text, foreign];
    const form = document.querySelector('form')!;
    for (const type of [...types, 'focusout', 'pagehide', 'pageshow']) {
      for (const target of [...targets, ...(type === 'submit' ? [] : [form])]) {
        const init = { bubbles: true, composed: true, cancelable: true };
        target.dispatchEvent(new Event(type, init));
        target.dispatchEvent(new CustomEvent(type, { ...init, detail: null }));
        if (type === 'keydown') target.dispatchEvent(new KeyboardEvent(type, { ...init, key: 'Enter' }));
      }
    }
  });
  await widgetPage.enterRejected('no@example.com');
});

test('is ready as soon as a page is that arrives slowly', async ({ page, service, widgetPage }) => {
  // The script runs in the head, before the body and the form exist.
  await widgetPage.open(FORM, {
    embed: 'none',
    head: `<script src="${service.origin}/v2/" data-api-key="test_public_key"></script>`,
  });
  await page.locator('#email').fill('joe@example.com');
  await page.locator('#email').press('Enter');
  await service.nextRequest();
});

for (const [what, make] of Object.entries({
  'a frame of the same origin':
    "const frame = document.createElement('iframe'); document.body.append(frame); return frame.contentDocument;",
  'a document that is not shown': "return document.implementation.createHTMLDocument('');",
})) {
  test(`resolves verify() of an input in ${what} with null`, async ({ page, widgetPage }) => {
    await widgetPage.open(FORM);
    const promised = await page.evaluate(`(function () {
      const other = (function () { ${make} })();
      other.body.innerHTML = '<input type="email" value="joe@example.com">';
      return emailVerify('verify', other.body.firstChild);
    })()`);
    expect(promised).toBe(null);
    expect(widgetPage.pageErrors).toEqual([]);
  });
}
