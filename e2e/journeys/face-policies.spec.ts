/**
 * The widget's other files under the policies that pages have, in every engine: they are loaded, and none runs that was
 * changed.
 */
import { createHash } from 'node:crypto';
import type { MockService } from '../mock-service/mock-service.ts';
import { dataAttributes, PUBLIC_KEY } from '../pages/documents.ts';
import type { Site } from '../pages/site.ts';
import { builtVersion, widgetScript } from '../widget-files.ts';
import { expect, FORM, type Journey, TEXTS, test, undeliverable } from './fixtures.ts';

const NO = 'no@shop.example';
const OPTIONS = dataAttributes({ apiKey: PUBLIC_KEY, messages: TEXTS });
const HASH = `sha384-${createHash('sha384').update(widgetScript()).digest('base64')}`;
const WITH_INTEGRITY = `crossorigin integrity="${HASH}"`;
const TRUSTED_TYPES = "require-trusted-types-for 'script'";

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
});

/** Records violations and warnings. Its own tag has the nonce of every policy here. */
const WATCH = `<script nonce="n1">
  var violations = [], warned = [], warn = console.warn;
  addEventListener('securitypolicyviolation', function (event) { violations.push(event.violatedDirective) });
  console.warn = function (text) { warned.push(text); warn.apply(console, arguments) };
</script>`;

interface Way {
  /** The tag, without its options. */
  readonly tag: (service: MockService) => string;
  readonly policy?: (service: MockService) => string;
}

const nonce = (more: string) => (service: MockService) =>
  `default-src 'none'; img-src 'self'; script-src 'nonce-n1' ${more}; connect-src ${service.origin}`;
const plainTag = ({ origin }: MockService) => `async src="${origin}/v2/"`;
const nonceTag = ({ origin }: MockService) => `async nonce="n1" src="${origin}/v2/"`;

const WAYS: Readonly<Record<string, Way>> = {
  'no policy': { tag: plainTag },
  "its version's address, with integrity": {
    tag: ({ origin }) => `async src="${origin}/v${builtVersion()}/" ${WITH_INTEGRITY}`,
  },
  'the address of its host': {
    tag: plainTag,
    policy: ({ origin }) =>
      `default-src 'none'; img-src 'self'; script-src 'nonce-n1' ${origin}; style-src 'self'; connect-src ${origin}; ${TRUSTED_TYPES}`,
  },
  'a nonce': { tag: nonceTag, policy: nonce('') },
  "a nonce with 'strict-dynamic'": { tag: nonceTag, policy: nonce("'strict-dynamic'") },
  'a nonce and Trusted Types': {
    tag: nonceTag,
    policy: (service) => `${nonce("'strict-dynamic'")(service)}; ${TRUSTED_TYPES}`,
  },
  "its hash with 'strict-dynamic'": {
    tag: ({ origin }) => `async src="${origin}/v2/" ${WITH_INTEGRITY}`,
    policy: ({ origin }) =>
      `default-src 'none'; img-src 'self'; script-src 'nonce-n1' '${HASH}' 'strict-dynamic'; connect-src ${origin}`,
  },
  'a nonce, and Trusted Types with a policy of its name': {
    tag: nonceTag,
    policy: (service) => `${nonce('')(service)}; ${TRUSTED_TYPES}; trusted-types email-verify-widget`,
  },
  'a sandbox, with an opaque origin': { tag: plainTag, policy: () => 'sandbox allow-scripts allow-forms' },
};

async function open(
  way: Way,
  { visitor, service, site }: Journey & { site: Site },
  options: object = {},
): Promise<void> {
  const html = `<!doctype html><meta charset="utf-8"><title>A page</title>${WATCH}${FORM}
    <script ${way.tag(service)} ${OPTIONS} ${dataAttributes({ ...options })}></script>`;
  const headers = way.policy ? { 'content-security-policy': way.policy(service) } : {};
  await visitor.open(site.origin() + site.html(html, headers));
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`loads the face under ${name}, without a violation`, async ({ journey, visitor }) => {
    await open(way, journey);
    await journey.enter(NO);
    await journey.seeStatus(TEXTS.invalid);
    expect(await visitor.read('violations')).toEqual([]);
    expect(await visitor.read('warned')).toEqual([]);
  });

  test(`runs no face that was changed under ${name}`, async ({ journey, service, visitor }) => {
    service.face = 'changed';
    await open(way, journey);
    await journey.enter(NO);
    await journey.seeCustomValidity(TEXTS.invalid);
    await journey.see('warned.length', 1);
    expect(await visitor.read('warned')).toEqual([
      expect.stringContaining(`/email-verify-widget-status.js?v=${builtVersion()}`),
    ]);
    expect(await visitor.read('window.tampered || null')).toBeNull();
  });
}

test('works without a face where Trusted Types forbid its policy, and says so once', async ({ journey }) => {
  const { service, site, visitor } = journey;
  const way: Way = {
    tag: nonceTag,
    policy: (each) => `${nonce('')(each)}; ${TRUSTED_TYPES}; trusted-types 'none'`,
  };
  service.face = 'changed';
  await open(way, journey);
  await journey.enter(NO);
  await journey.seeCustomValidity(TEXTS.invalid);
  await journey.see('warned.length', 1);
  expect(await visitor.read('document.querySelector(".email-verify-status")')).toBeNull();
  expect(await visitor.read('window.tampered || null')).toBeNull();
  await journey.enterInstead('joe@shop.example');
  await journey.seeState('accepted');
  expect(await visitor.read('warned.length')).toBe(1);
  expect(site.submissions).toEqual([]);
});

test('loads the file for debug, and with integrity runs none that was changed', async ({ journey }) => {
  const { service, visitor } = journey;
  const way: Way = { tag: ({ origin }) => `async src="${origin}/v${builtVersion()}/" ${WITH_INTEGRITY}` };
  await open(way, journey, { debug: true });
  await visitor.click('#email');
  await journey.see('typeof window[Symbol.for("email-verify-widget")].own.fetch', 'function');
  await journey.see('/^bound/.test(window[Symbol.for("email-verify-widget")].own.fetch.name)', false);
  expect(await visitor.read('warned')).toEqual([]);
  service.debug = 'changed';
  await open(way, journey, { debug: true });
  await visitor.click('#email');
  await journey.see('warned.length', 1);
  expect(await visitor.read('warned')).toEqual([expect.stringContaining('/email-verify-widget-debug.js')]);
  expect(await visitor.read('window.tampered || null')).toBeNull();
});

test('loads the face into a module, as a part of it', async ({ journey }) => {
  await journey.open({ embed: 'module' });
  await journey.enter(NO);
  await journey.seeStatus(TEXTS.invalid);
});
