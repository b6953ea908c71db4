/** The demo's theme editor: it shows, measures and exports the settings, and keeps them in its URL. */
import type { Page } from '@playwright/test';
import {
  expect,
  expectNobodyLeftOut,
  expectNoCollision,
  frameOf,
  overflowOf,
  test,
  weightOf,
} from './pages/demo-page.ts';

/** Opens the editor with a theme, and waits until every pair of colours has been measured. */
async function open(page: Page, origin: string, theme = ''): Promise<void> {
  await page.goto(`${origin}/theme/${theme}`);
  await expect(page.locator('#pairs .figure')).toHaveCount(16);
}

/** The table's figures for a pair, in light and in dark. */
const ratios = (page: Page, pair: string) =>
  page.getByRole('row', { name: pair }).getByRole('cell').allInnerTexts();

const setting = (page: Page, group: string) => page.getByRole('group', { name: group, exact: true });

test('shows settings, measures them in light and dark, keeps them in CSS and URL', async ({ demo, page }) => {
  test.slow();
  await open(page, demo.origin);
  expect(await weightOf(page), 'bytes for the page and its frames').toBeLessThan(100_000);
  await expect(page.getByText('Contrast is high enough: 4.5:1 for texts, 3:1 for edges.')).toBeVisible();
  expect(await ratios(page, 'Message, floating')).toEqual(['21:1', expect.stringMatching(/^\d+(\.\d+)?:1$/)]);
  const css = page.locator('#css');
  await expect(css).toHaveText('/* The widget’s own looks. */');

  // Grey 777 is slightly too weak on white, and strong enough on black.
  await setting(page, '--email-verify-color').getByLabel('Light', { exact: true }).fill('#777');
  await setting(page, '--email-verify-background').getByLabel('Light', { exact: true }).fill('white');
  await setting(page, '--email-verify-background').getByLabel('Dark', { exact: true }).fill('oklch(0 0 0)');
  expect(await ratios(page, 'Message, floating')).toEqual(['4.47:1below 4.5:1', '4.68:1']);
  await expect(page.getByText(/^Contrast too low: Message, floating \(light\)/)).toBeVisible();

  await setting(page, 'status').getByLabel('border-radius').fill('3px');
  await setting(page, 'message').getByLabel('font-weight').selectOption('600');
  await setting(page, 'suggestion').getByLabel('Other declarations').fill('font-style: italic; top: 2px');
  await setting(page, '--email-verify-z-index').getByLabel('Whole number').fill('10');
  await expect(css).toHaveText(`.email-verify-status {
  --email-verify-color: #777;
  --email-verify-background: light-dark(white, oklch(0 0 0));
  --email-verify-z-index: 10;
}

.email-verify-status::part(status) {
  border-radius: 3px;
}

.email-verify-status::part(message) {
  font-weight: 600;
}

.email-verify-status::part(suggestion) {
  font-style: italic;
  top: 2px;
}
`);
  const expectSeen = async () => {
    for (const [scheme, background] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'oklch(0 0 0)'],
    ] as const) {
      const frame = await frameOf(page, `Every state, ${scheme}`);
      const status = frame.locator('.email-verify-floating').filter({ hasText: 'Did you mean' }).first();
      await expect(status).toHaveCSS('z-index', '10');
      await expect(status.locator('[part=status]')).toHaveCSS('border-radius', '3px');
      await expect(status.locator('[part=status]')).toHaveCSS('background-color', background);
      await expect(status.locator('[part=message]')).toHaveCSS('color', 'rgb(119, 119, 119)');
      await expect(status.locator('[part=message]')).toHaveCSS('font-weight', '600');
      await expect(status.locator('[part=suggestion]')).toHaveCSS('font-style', 'italic');
    }
  };
  await expectSeen();

  const [text, address] = [await css.textContent(), page.url()];
  await page.goto('about:blank');
  await page.goto(address);
  await expect(css).toHaveText(text!);
  await expect(page.locator('#pairs .figure')).toHaveCount(16);
  await expectSeen();

  // The same from the editor's own CSS.
  await page.getByRole('button', { name: 'The widget’s own' }).click();
  await expect(css).toHaveText('/* The widget’s own looks. */');
  await page.getByText('Import a style sheet').click();
  await page.getByLabel('CSS with rules for').fill(`body { margin: 0 }\n${text}`);
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByText('Imported 7 values.')).toBeVisible();
  await expect(css).toHaveText(text!);
});

test('measures a frame whose statuses come long after its states', async ({ demo, page }) => {
  let arrive = () => {};
  const hasStates = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  // The second file of the first frame waits until the states are there.
  let isFirst = true;
  await page.route('**/email-verify-widget-status.js*', async (route) => {
    const waits = isFirst;
    isFirst = false;
    if (waits) await hasStates;
    await route.continue();
  });
  await page.goto(`${demo.origin}/theme/`);
  await expect(page.locator('#pairs .figure')).toHaveCount(8);
  for (const scheme of ['light', 'dark']) {
    const frame = await frameOf(page, `Every state, ${scheme}`);
    await expect(frame.locator('input[data-email-verify=""]')).toHaveCount(0);
    await expect(frame.locator('input[data-email-verify=rejected]').first()).toBeAttached();
  }
  arrive();
  await expect(page.locator('#pairs .figure')).toHaveCount(16);
});

test('marks a wrong value at its field, and leaves it out', async ({ demo, page }) => {
  await open(page, demo.origin, '#color.light=redd&status.padding=1em%7D*%7Btop:0&unheard=of');
  const color = setting(page, '--email-verify-color').getByLabel('Light', { exact: true });
  await expect(color).toHaveAccessibleDescription('Expected a CSS colour.');
  await expect(color).toHaveAttribute('aria-invalid', 'true');
  const padding = setting(page, 'status').getByLabel('padding');
  await expect(padding).toHaveAccessibleDescription('Expected a value for padding.');
  const free = setting(page, 'message').getByLabel('Other declarations');
  await free.fill('color: red; colour: blue');
  await expect(free).toHaveAccessibleDescription('Not valid CSS: colour: blue');
  await expect(page.locator('#css')).toHaveText('.email-verify-status::part(message) {\n  color: red;\n}\n');

  // An open string or bracket would swallow the following rules.
  await color.fill('rgb(0 0 200');
  await expect(color).toHaveAccessibleDescription('Expected a CSS colour.');
  await free.fill('content: "};');
  await expect(free).toHaveAccessibleDescription('Not valid CSS: content: "}');
  await expect(page.locator('#css')).toHaveText('/* The widget’s own looks. */');
  await free.fill('content: "a;b"');
  await expect(free).toHaveAccessibleDescription('');
  await expect(page.locator('#css')).toHaveText(
    '.email-verify-status::part(message) {\n  content: "a;b";\n}\n',
  );
  await free.fill('a'.repeat(200));
  expect(await overflowOf(page)).toBe(0);
  await free.fill('');

  await color.fill('rgb(0 0 200 / 50%)');
  await expect(color).toHaveAccessibleDescription('');
  await expect(color).not.toHaveAttribute('aria-invalid');
});

test('imports a style sheet, nested or in a layer, but no rules of media queries', async ({ demo, page }) => {
  await open(page, demo.origin);
  await page.getByText('Import a style sheet').click();
  const takeOver = async (css: string) => {
    await page.getByLabel('CSS with rules for').fill(css);
    await page.getByRole('button', { name: 'Import' }).click();
  };
  await takeOver(`@media (width < 30em) { .email-verify-status { --email-verify-color: red } }`);
  await expect(
    page.getByText('Found no rule for .email-verify-status outside media and container queries.'),
  ).toBeVisible();
  await takeOver(`@layer demo { .email-verify-status {
    --email-verify-color: light-dark(navy);
    --email-verify-background: linen;
    &::part(message) { font-weight: 600 }
  } }`);
  await expect(page.getByText('Imported 3 values.')).toBeVisible();
  const color = setting(page, '--email-verify-color').getByLabel('Light', { exact: true });
  await expect(color).toHaveValue('light-dark(navy)');
  await expect(color).toHaveAccessibleDescription('Expected a CSS colour.');
  await expect(page.locator('#css')).toHaveText(`.email-verify-status {
  --email-verify-background: linen;
}

.email-verify-status::part(message) {
  font-weight: 600;
}
`);
});

test('has readable texts in every preset, in light and in dark', async ({ demo, page }) => {
  await open(page, demo.origin);
  const presets = page.locator('#presets button');
  await expect(presets).toHaveText(['The widget’s own', 'Bootstrap 5', 'Tailwind, shadcn/ui', 'Material 3']);
  for (const preset of await presets.all()) {
    await preset.press('Enter');
    await expect(page.locator('#pairs .weak')).toHaveCount(0);
    await expect(page.getByText('Contrast is high enough: 4.5:1 for texts, 3:1 for edges.')).toBeVisible();
  }
});

test('gives the fields the look of a preset’s inputs, and keeps it in the URL', async ({ demo, page }) => {
  await open(page, demo.origin);
  await page.getByRole('button', { name: 'Bootstrap 5' }).click();
  const fields = async (scheme: string) =>
    (await frameOf(page, `Every state, ${scheme}`)).getByLabel('Floating').first();
  const expectBootstrap = async () => {
    await expect(await fields('light')).toHaveCSS('border-radius', '6px');
    await expect(await fields('light')).toHaveCSS('color', 'rgb(33, 37, 41)');
    await expect(await fields('dark')).toHaveCSS('background-color', 'rgb(33, 37, 41)');
  };
  await expectBootstrap();
  const css = page.locator('#css');
  await expect(css).toContainText('--email-verify-color: light-dark(#212529, #dee2e6);');
  await expect(css).not.toContainText('padding');
  await page.reload();
  await expectBootstrap();
});

test('gives a status the radius, border, font and colours of pasted CSS', async ({ demo, page }) => {
  await open(page, demo.origin);
  const input = page.getByLabel('CSS of your input');
  const match = page.getByRole('button', { name: 'Match the status to it' });
  await match.click();
  await expect(page.locator('#match-outcome')).toHaveText(/^Found no declarations\./);

  await input.fill(`:root { --edge: light-dark(#6b21a8, #d8b4fe) }
    .form-control { border: 2px solid var(--edge); border-radius: 999px;
      background: light-dark(#faf5ff, #1e0a33); color: light-dark(#3b0764, #f3e8ff); font-family: Georgia, serif }
    .form-control:focus { color: red }`);
  await expect(input).not.toHaveAttribute('aria-invalid');
  await match.click();
  await expect(page.locator('#match-outcome')).toHaveText(/^The status now has/);
  await expect(page.locator('#css')).toHaveText(`.email-verify-status {
  --email-verify-color: light-dark(#3b0764, #f3e8ff);
  --email-verify-background: light-dark(#faf5ff, #1e0a33);
  --email-verify-border-color: light-dark(#6b21a8, #d8b4fe);
}

.email-verify-status::part(status) {
  border-radius: 8px;
  border-width: 2px;
  border-inline-start-width: 4px;
}

.email-verify-status::part(message) {
  font-family: Georgia, serif;
}
`);
  await expect(page.locator('#pairs .weak')).toHaveCount(0);
});

test('matches important or layered CSS, and a rejected input keeps its edge', async ({ demo, page }) => {
  await open(page, demo.origin);
  const input = page.getByLabel('CSS of your input');
  await input.fill(`@layer base { input { border: 3px solid #777 !important; color: #101010!important;
    &:hover { border-color: lime } } } @media print { input { border-width: 9px } }`);
  await expect(input).not.toHaveAttribute('aria-invalid');
  await page.getByRole('button', { name: 'Match the status to it' }).click();
  await expect(page.locator('#match-outcome')).toHaveText(/^The status now has/);
  await expect(page.locator('#css')).toContainText('--email-verify-border-color: #777777;');
  await expect(page.locator('#css')).toContainText('border-width: 3px;');
  const edges = page
    .frameLocator('iframe[src$="scheme=light"]')
    .locator('#rejected-floating, #verifying-floating');
  await expect
    .poll(() =>
      edges.evaluateAll((inputs) => new Set(inputs.map((at) => getComputedStyle(at).borderColor)).size),
    )
    .toBe(2);
});

test('exports a part’s declaration that is important', async ({ demo, page }) => {
  await page.goto(
    `${demo.origin}/theme/#${new URLSearchParams({ 'message.*': 'letter-spacing: 1px !important', 'status.padding': '4px !important' })}`,
  );
  await expect(page.locator('#css')).toContainText('letter-spacing: 1px !important;');
  await expect(page.locator('#css')).toContainText('padding: 4px !important;');
});

test('names variables that the matched CSS does not define, and keeps the theme', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/theme/#color.light=navy`);
  const input = page.getByLabel('CSS of your input');
  const rule =
    '.input { border: 1px solid hsl(var(--edge)); border-radius: calc(var(--radius) - 2px); color: var(--ink, #222) }';
  await input.fill(rule);
  const match = page.getByRole('button', { name: 'Match the status to it' });
  await match.click();
  const outcome = page.locator('#match-outcome');
  await expect(outcome).toHaveText(
    'Your CSS does not define --edge, --radius. Paste the rule that does, for example :root { --edge: … }.',
  );
  await expect(page.locator('#css')).toHaveText('.email-verify-status {\n  --email-verify-color: navy;\n}\n');

  await input.fill(`:root { --edge: 240 6% 46%; --radius: 8px } ${rule}`);
  await match.click();
  await expect(outcome).toHaveText(/^The status now has/);
  await expect(page.locator('#css')).toContainText('border-radius: 6px;');
});

test('keeps a status readable if a matched text is weak or light in both schemes', async ({ demo, page }) => {
  await open(page, demo.origin);
  await page.getByLabel('CSS of your input').fill('background: white; color: #aaa; border: 0');
  await page.getByRole('button', { name: 'Match the status to it' }).click();
  await expect(page.locator('#css')).toContainText('--email-verify-color: light-dark(#000000, CanvasText);');
  await expect(page.locator('#pairs .weak')).toHaveCount(0);
  await expect(page.getByText('Contrast is high enough: 4.5:1 for texts, 3:1 for edges.')).toBeVisible();
});

test('asks again for the states whose requests got no answer', async ({ demo, page }) => {
  const lost = new Set<string | null>();
  await page.route(/\/v1\/verify/, (route) => {
    const email = new URL(route.request().url()).searchParams.get('email');
    if (lost.has(email)) return route.continue();
    lost.add(email);
    return route.abort();
  });
  await open(page, demo.origin);
  expect(lost.size).toBeGreaterThan(2);
});

test('keeps the theme of its URL if its frames are there before its script', async ({ demo, page }) => {
  const framesThere = () =>
    page
      .frames()
      .slice(1)
      .map((frame) => frame.waitForLoadState());
  await page.route('**/theme/theme.js', async (route) => {
    await expect.poll(() => page.frames().length).toBe(3);
    await Promise.all(framesThere());
    await route.continue();
  });
  await page.goto(`${demo.origin}/theme/#color.light=navy`, { waitUntil: 'commit' });
  await expect(page.locator('#css')).toContainText('--email-verify-color: navy;');
  await expect(page).toHaveURL(/#color\.light=navy$/);
});

test('copies the CSS, or selects it if copying is not allowed', async ({ demo, page }) => {
  await page.addInitScript(() => {
    const clipboard = {
      allowed: true,
      writeText: async (text: string) => {
        if (!clipboard.allowed) throw new DOMException('no', 'NotAllowedError');
        Reflect.set(window, 'copied', text);
      },
    };
    Object.defineProperty(navigator, 'clipboard', { value: clipboard });
  });
  await page.goto(`${demo.origin}/theme/#color.light=navy`);
  const css = '.email-verify-status {\n  --email-verify-color: navy;\n}\n';
  await expect(page.locator('#css')).toHaveText(css);
  const copy = page.getByRole('button', { name: 'Copy the CSS' });
  await copy.press('Enter');
  await expect(page.getByText('Copied.', { exact: true })).toBeAttached();
  expect(await page.evaluate('copied')).toBe(css);
  await page.evaluate('navigator.clipboard.allowed = false');
  await copy.press('Enter');
  await expect(page.getByText('Selected. Copy it with the keyboard.')).toBeAttached();
  expect(await page.evaluate('getSelection().toString().trim()')).toBe(css.trim());
});

test('covers no setting with the preview, in any width', async ({ demo, page }) => {
  await open(page, demo.origin);
  const last = setting(page, 'spinner').getByLabel('Other declarations');
  for (const width of [320, 700, 1_000, 1_100, 1_400]) {
    await page.setViewportSize({ width, height: 800 });
    await last.scrollIntoViewIfNeeded();
    // The covering element would get the press.
    await last.click({ trial: true });
    await setting(page, 'status').getByLabel('padding', { exact: true }).click({ trial: true });
  }
});

test('covers no other field with a floating status if not every state has room', async ({ demo, page }) => {
  await page.setViewportSize({ width: 1_440, height: 800 });
  await open(page, demo.origin);
  const states = await frameOf(page, 'Every state, light');
  await expect(states.getByText('This address does not seem to exist.')).toHaveCount(2);
  for (const part of [0, 0.3, 0.6, 1]) {
    await page.locator('.window').evaluateAll((windows, by) => {
      for (const { scrollHeight } of windows) for (const each of windows) each.scrollTop = by * scrollHeight;
    }, part);
    await expectNoCollision(page, `scrolled to ${part}`);
  }
});

test('passes axe in light and in dark, and fits a phone', async ({ demo, page }) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 900 });
  await open(page, demo.origin, '#status.padding=no');
  await page.getByText('Import a style sheet').click();
  await expectNobodyLeftOut(page);
});
