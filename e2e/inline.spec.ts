/** The script without a URL of its own: inline, in a separate frame, or made by the page. */
import type { Page } from '@playwright/test';
import { expect, FORM, JOE, PUBLIC_KEY, test } from './fixtures.ts';
import { widgetScript } from './widget-files.ts';

const NAME = 'email-verify-widget-debug.js';

/** Puts a frame with the form and an inline widget into the page. */
async function openFrame(page: Page, options: object, attributes = ''): Promise<void> {
  // A function as the replacement, because the script contains a $.
  const script = `<script>${widgetScript().replaceAll('</script', '<\\/script')}</script>`;
  const call = `<script>emailVerify(${JSON.stringify({ apiKey: PUBLIC_KEY, ...options })})</script>`;
  await page.evaluate(
    ([html, extra]) => {
      const holder = document.createElement('div');
      holder.innerHTML = `<iframe id="frame" ${extra}></iframe>`;
      document.body.append(holder);
      (holder.firstChild as HTMLIFrameElement).srcdoc = html;
    },
    [`<!doctype html><meta charset="utf-8">${FORM}${script}${call}`, attributes] as const,
  );
}

/** Makes a script of the text in the page, and loads it by a URL of this kind. */
async function loadAs(page: Page, kind: 'blob' | 'data'): Promise<void> {
  await page.evaluate(
    ([text, scheme]) =>
      new Promise<void>((resolve, reject) => {
        const script = document.createElement('script');
        script.src =
          scheme === 'blob'
            ? URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
            : `data:text/javascript,${encodeURIComponent(text)}`;
        script.onload = () => resolve();
        script.onerror = reject;
        document.head.append(script);
      }),
    [widgetScript(), kind] as const,
  );
}

for (const [what, attributes] of Object.entries({
  'a srcdoc frame': '',
  'a srcdoc frame in a sandbox, with an opaque origin': 'sandbox="allow-scripts allow-forms"',
})) {
  test(`starts without an exception inline in ${what}, and verifies by baseUrl`, async ({ widgetPage }) => {
    const { page, service } = widgetPage;
    await widgetPage.open('', { embed: 'none' });
    await openFrame(page, { baseUrl: service.origin }, attributes);
    const email = page.frameLocator('#frame').locator('#email');
    await email.fill(JOE);
    await email.press('Tab');
    await expect(email).toHaveAttribute('data-email-verify', 'accepted');
    expect(service.asked).toEqual([JOE]);
    expect(widgetPage.warnings).toEqual([]);
  });
}

test('warns once inline with debug of the missing file in the root, and verifies', async ({ widgetPage }) => {
  await widgetPage.open('', { embed: 'none' });
  await openFrame(widgetPage.page, { baseUrl: widgetPage.service.origin, debug: true });
  const email = widgetPage.page.frameLocator('#frame').locator('#email');
  await email.fill(JOE);
  await email.press('Tab');
  await expect(email).toHaveAttribute('data-email-verify', 'accepted');
  await expect.poll(() => widgetPage.warnings).toEqual([expect.stringContaining(`/${NAME}`)]);
});

for (const [kind, debug] of [
  ['blob', false],
  ['blob', true],
  ['data', false],
] as const) {
  test(`verifies by baseUrl from a ${kind}: URL${debug ? ' with debug' : ''}`, async ({ widgetPage }) => {
    await widgetPage.open(FORM, { embed: 'none' });
    await loadAs(widgetPage.page, kind);
    await widgetPage.call({ apiKey: PUBLIC_KEY, baseUrl: widgetPage.service.origin, debug });
    await widgetPage.enterAccepted(JOE);
    expect(widgetPage.service.asked).toEqual([JOE]);
    const named = debug ? [expect.stringContaining(NAME)] : [];
    await expect.poll(() => widgetPage.warnings).toEqual(named);
  });
}
