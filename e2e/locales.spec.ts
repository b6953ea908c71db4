/** The widget in the page's language. The texts come as a second script, or with the module. */
import ar from '../src/locales/ar.ts';
import de from '../src/locales/de.ts';
import fr from '../src/locales/fr.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import {
  dataAttributes,
  eachRow,
  expect,
  FORM,
  NO,
  PATIENT,
  PUBLIC_KEY,
  QUEUE_STUB,
  test,
  undeliverable,
} from './fixtures.ts';
import type { MockService } from './mock-service/mock-service.ts';
import type { OpenOptions, WidgetPage } from './pages/widget-page.ts';

const MISSPELT = 'jane@gmial.com';
const MEANT = 'jane@gmail.com';

const widgetTag = ({ origin }: MockService, more = '') =>
  `<script ${more} src="${origin}/v2/" data-api-key="${PUBLIC_KEY}"></script>`;
const localeTag = ({ origin }: MockService, name: string, more = '') =>
  `<script ${more} src="${origin}/v2/locales/${name}.js"></script>`;

/** A page in German, with these tags in its head. */
const openGerman = (widgetPage: WidgetPage, head: string, open: OpenOptions = {}) =>
  widgetPage.open(FORM, { embed: 'none', root: 'lang="de"', ...open, head });

test.beforeEach(({ service }) => {
  service.answer(MISSPELT, undeliverable({ did_you_mean: MEANT }));
});

/** Enters an address that is rejected, and expects this text in the status and the custom validity. */
async function expectRejection(widgetPage: WidgetPage, text: string): Promise<void> {
  await widgetPage.enterAndRead(NO, text);
  await widgetPage.expectCustomValidity(text);
}

test.describe('uses the page’s language from a second script', () => {
  const ARRANGEMENTS: Record<string, (service: MockService) => string> = {
    'before the widget': (service) => localeTag(service, 'de') + widgetTag(service),
    'after the widget': (service) => widgetTag(service) + localeTag(service, 'de'),
    'both async': (service) => widgetTag(service, 'async') + localeTag(service, 'de', 'async'),
    'only the widget async': (service) => localeTag(service, 'de') + widgetTag(service, 'async'),
    'only the language async': (service) => localeTag(service, 'de', 'async') + widgetTag(service),
    deferred: (service) => localeTag(service, 'de', 'defer') + widgetTag(service, 'defer'),
    'with others that are not the page’s': (service) =>
      localeTag(service, 'fr') + localeTag(service, 'de') + widgetTag(service) + localeTag(service, 'ja'),
    'as one that has them all': (service) => localeTag(service, 'auto') + widgetTag(service),
  };
  test('in any order of loading', async ({ service, widgetPage }) => {
    await eachRow(ARRANGEMENTS, async (head) => {
      await openGerman(widgetPage, head(service));
      await expectRejection(widgetPage, de.invalid);
      expect(widgetPage.warnings).toEqual([]);
    });
  });

  test('in every text: while verifying, and with a suggestion that can be taken', async ({ widgetPage }) => {
    const { service } = widgetPage;
    const head = localeTag(service, 'de') + widgetTag(service, dataAttributes(PATIENT.options));
    await openGerman(widgetPage, head);
    service.hold();
    await widgetPage.enterAndRead(MISSPELT, de.verifying);
    await service.nextRequest();
    service.release();
    await widgetPage.expectCustomValidity(de.didYouMean.replace('[EMAIL]', MEANT));
    await widgetPage.status.getByRole('button', { name: MEANT }).click();
    await expect(widgetPage.email).toHaveValue(MEANT);
    await widgetPage.expectState('accepted');
  });
});

const OWN = 'Da kommt nichts an.';
const own = `<script>${QUEUE_STUB} emailVerify('messages', { invalid: '${OWN}' });</script>`;

const ORDERS: Record<string, (service: MockService) => string> = {
  'set first': (service) => own + localeTag(service, 'de') + widgetTag(service),
  'set last': (service) => localeTag(service, 'de') + widgetTag(service) + own,
  'set before a late language': (service) => widgetTag(service) + own + localeTag(service, 'de'),
  'set in the tag': (service) =>
    widgetTag(service, `data-messages='{"invalid": "${OWN}"}'`) + localeTag(service, 'de'),
};
test('prefers the page’s own texts, in any place', async ({ service, widgetPage }) => {
  await eachRow(ORDERS, async (head) => {
    await openGerman(widgetPage, head(service));
    await expectRejection(widgetPage, OWN);
    await widgetPage.enter(MISSPELT);
    await widgetPage.expectCustomValidity(de.didYouMean.replace('[EMAIL]', MEANT));
  });
});

test.describe('in a right-to-left page', () => {
  const ARABIC = 'lang="ar" dir="rtl"';
  const suggestion = (address: string) => ar.didYouMean.replace('[EMAIL]', address);

  test('shows the status and the custom validity in Arabic', async ({ service, widgetPage }) => {
    await openGerman(widgetPage, localeTag(service, 'ar') + widgetTag(service), { root: ARABIC });
    await expectRejection(widgetPage, ar.invalid);
    await widgetPage.enterAndRead(MISSPELT, suggestion(MEANT));
    await widgetPage.expectCustomValidity(suggestion(MEANT));
    await expect(widgetPage.status.getByRole('button')).toHaveText(MEANT);
  });

  // Digits take the direction of the text around them. Otherwise 123@example.com would look like example.com@123.
  for (const meant of [MEANT, '123@example.com']) {
    test(`shows ${meant} from left to right, and the question mark at the end`, async ({ widgetPage }) => {
      const { service } = widgetPage;
      service.answer(MISSPELT, undeliverable({ did_you_mean: meant }));
      await openGerman(widgetPage, localeTag(service, 'ar') + widgetTag(service), { root: ARABIC });
      await widgetPage.enter(MISSPELT);
      const button = widgetPage.status.getByRole('button');
      await expect(button).toHaveText(meant);
      const seen = await button.evaluate((element) => {
        const placeOf = (node: Node, at: number) => {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect().left;
        };
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const address: number[] = [];
        // The different characters are marked, so the address is in several texts.
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          address.push(...[...(text as Text).data].map((_, at) => placeOf(text as Node, at)));
        }
        const { previousSibling: before, nextSibling: after } = element;
        return {
          address,
          before: placeOf(before as Text, 0),
          after: placeOf(after as Text, (after as Text).data.length - 1),
        };
      });
      expect(seen.address).toEqual([...seen.address].sort((one, other) => one - other));
      expect(seen.after).toBeLessThan(seen.address[0]!);
      expect(seen.before).toBeGreaterThan(seen.address.at(-1)!);
    });
  }
});

test('loads texts unchanged in another encoding from a server that names none', async ({ widgetPage }) => {
  const script = await (await fetch(`${widgetPage.service.origin}/v2/locales/ar.js`)).text();
  // The attribute sets the encoding, like the document's own encoding.
  const tag = `<script charset="windows-1252" src="${widgetPage.site.script(script, 'text/javascript')}"></script>`;
  await openGerman(widgetPage, widgetTag(widgetPage.service) + tag, { root: 'lang="ar"' });
  await expectRejection(widgetPage, ar.invalid);
});

test('loads one language or the document’s as a module', async ({ page, service, widgetPage }) => {
  const imports = (names: string) => `<script type="module">
    import { install } from '${service.origin}/v2/index.js';
    import fr from '${service.origin}/v2/locales/fr.mjs';
    import { localeFor } from '${service.origin}/v2/locales/auto.mjs';
    window.fr = fr;
    window.widget = install({ apiKey: '${PUBLIC_KEY}', baseUrl: '${service.origin}', locale: ${names} });
  </script>`;
  await openGerman(widgetPage, imports('localeFor()'));
  await expectRejection(widgetPage, de.invalid);
  await page.evaluate('widget.set({ locale: fr })');
  await expect(widgetPage.status).toHaveText(fr.invalid);
  await openGerman(widgetPage, imports('localeFor()'), { root: 'lang="tlh"' });
  await expectRejection(widgetPage, DEFAULTS.messages.invalid);
  expect(widgetPage.warnings).toEqual([]);
});

test('works under a strict policy with Trusted Types, without a violation', async ({ widgetPage }) => {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${widgetPage.service.origin}; require-trusted-types-for 'script'`;
  await widgetPage.openDocument(
    `<!doctype html><html lang="de"><head><title>Strict</title>
      <script async src="/v2/locales/auto.js"></script><script async src="/v2/locales/de.js"></script>
      <script src="/v2/" data-api-key="${PUBLIC_KEY}" data-base-url="${widgetPage.service.origin}"></script></head>
      <body>${FORM}</body></html>`,
    { headers: { 'content-security-policy': policy } },
  );
  await expectRejection(widgetPage, de.invalid);
  expect(await widgetPage.violations()).toEqual([]);
});
