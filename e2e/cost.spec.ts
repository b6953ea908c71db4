/** What the widget costs a page on which nobody types yet. */
import { expect, QUEUE_STUB, test } from './fixtures.ts';
import { widgetFile } from './widget-files.ts';

const LIMIT_MS = 5;
const RUNS = 9;

const inputs = (count: number) =>
  Array.from({ length: count }, (_, index) => `<form><input type="email" name="email-${index}"></form>`).join(
    '',
  );

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

test('with 1,000 inputs on the page it is installed in under 5 ms', async ({ page, service, site }) => {
  const script = widgetFile('/v2/')!.body;
  const path = site.html(`<!doctype html><title>Many</title><script>${QUEUE_STUB}</script>${inputs(1_000)}`);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await page.goto(site.origin() + path);
    const ms = await page.evaluate(
      ([source, baseUrl]) => {
        const call = (...parameters: unknown[]) =>
          Reflect.get(window, 'emailVerify').apply(window, parameters);
        call({ apiKey: 'test_public_key', baseUrl });
        const tag = document.createElement('script');
        tag.textContent = source!;
        // What the browser itself has put off is its own cost.
        document.body.getBoundingClientRect();
        const start = performance.now();
        document.head.append(tag); // An inline script runs here and now: parsing and starting are both in it.
        return performance.now() - start;
      },
      [script, service.origin],
    );
    times.push(ms);
  }
  // It did start: an address typed into the last of them is asked for.
  const last = page.locator('input').last();
  await last.fill('joe@example.com');
  await last.press('Enter');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
  expect(median(times), `all runs: ${times.map((ms) => ms.toFixed(1)).join(', ')} ms`).toBeLessThan(LIMIT_MS);
});

test('it adds no listener per input, and none to any element, before an input is used', async ({
  widgetPage,
}) => {
  const counts: number[] = [];
  for (const count of [1, 1_000]) {
    await widgetPage.open(inputs(count));
    const listeners = await widgetPage.page.evaluate(() => window.e2e.listeners);
    expect(listeners.filter(({ target }) => !/^(window|#document)$/i.test(target))).toEqual([]);
    counts.push(listeners.length);
  }
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
});

test('no timer runs and nothing is asked while nobody has typed', async ({ page, service, widgetPage }) => {
  await widgetPage.open(inputs(10), {
    before: `window.timers = 0;
      ['setTimeout', 'setInterval', 'requestAnimationFrame'].forEach(function (name) {
        var native = window[name];
        window[name] = function () { window.timers += 1; return native.apply(window, arguments) };
      });`,
  });
  const started = await page.evaluate('timers');
  await widgetPage.pass(10_000);
  expect(await page.evaluate('timers')).toBe(started);
  expect(service.requests).toEqual([]);
});
