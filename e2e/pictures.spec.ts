/**
 * Compares the status in every state with its picture in e2e/pictures/. The pages use a font of boxes, so that machines
 * differ only in the smoothing of edges.
 *
 *   npx playwright test --config e2e/playwright.config.ts pictures --update-snapshots    makes new pictures
 */
import type { Page } from '@playwright/test';
import {
  deliverable,
  expect,
  hang,
  MEANT,
  rateLimited,
  status,
  TEXTS,
  test,
  undeliverable,
} from './fixtures.ts';
import { boxFont } from './pages/box-font.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const LONG_MEANT = `joe@${'a-long-name.'.repeat(5)}example`;

/** The fields from top to bottom, each with its state. The name is also the local part of its address. */
const STATES = {
  waiting: 'waiting',
  verifying: 'verifying',
  accepted: 'accepted',
  hint: 'accepted',
  'hint-suggestion': 'accepted',
  rejected: 'rejected',
  'rejected-suggestion': 'rejected',
  failed: 'error',
  limited: 'error',
} as const;
type State = keyof typeof STATES;

const SPOKEN: readonly State[] = [
  'verifying',
  'hint',
  'hint-suggestion',
  'rejected',
  'rejected-suggestion',
  'limited',
];

const LONG_TEXTS = {
  verifying: 'Die E-Mail-Adresse wird überprüft. Das dauert in der Regel nur einen Augenblick.',
  invalid:
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft nicht erreichbar.',
  role: 'Bitte geben Sie statt einer Funktionsadresse Ihre persönliche E-Mail-Adresse an.',
  didYouMean: 'Meinten Sie vielleicht [EMAIL], oder war es so, wie Sie es geschrieben haben?',
  rateLimited: 'Für heute sind genügend Adressen überprüft worden. Bitte versuchen Sie es morgen wieder.',
};

/** The page of an author who sets the colours and the font, and leaves the status unchanged. */
const LOOK = `<style>
    @font-face { font-family: Boxes; src: url(${boxFont()}) }
    :root { color-scheme: light dark }
    body { margin: 0; background: Canvas; color: CanvasText; font: 16px/20px Boxes }
    main { display: grid; grid-auto-rows: var(--row, 78px); padding: 8px 20px }
    p { margin: 4px 0 }
    input { box-sizing: border-box; display: block; width: min(260px, 100%); height: 28px; margin: 0; padding: 2px 6px;
      border: 1px solid GrayText; border-radius: 0; appearance: none; background: Field; color: FieldText;
      font: 16px/20px Boxes }
  </style>`;

interface Picture {
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active' | 'none';
  readonly width?: number;
  readonly states?: readonly State[];
  readonly css?: string;
  readonly direction?: 'ltr' | 'rtl';
  readonly options?: Record<string, unknown>;
  readonly meant?: string;
}

const ALL = Object.keys(STATES) as State[];
const LONG = { states: SPOKEN, options: { messages: LONG_TEXTS }, meant: LONG_MEANT } as const;

const PICTURES: Record<string, Picture> = {
  light: { states: ALL },
  dark: { colorScheme: 'dark' },
  'right-to-left': { direction: 'rtl' },
  'forced-colours-light': { forcedColors: 'active' },
  'forced-colours-dark': { forcedColors: 'active', colorScheme: 'dark' },
  '320-wide': { width: 320 },
  'long-texts': { ...LONG, css: 'main { --row: 150px }' },
  'long-texts-320-wide': { ...LONG, width: 320, css: 'main { --row: 150px }' },
  'long-texts-right-to-left': { ...LONG, direction: 'rtl', css: 'main { --row: 150px }' },
  'type-of-200-percent': {
    css: 'body, input { font: 32px/40px Boxes } input { height: 48px; width: 400px } main { --row: 160px }',
    width: 520,
  },
  'in-the-flow': { states: ALL, options: { statusAppendTo: 'p' } },
  'in-the-flow-dark-right-to-left': {
    colorScheme: 'dark',
    direction: 'rtl',
    options: { statusAppendTo: 'p' },
  },
};

/** Opens a page with a field in every state. */
async function open(widgetPage: WidgetPage, picture: Picture): Promise<readonly State[]> {
  const { page, service } = widgetPage;
  const { states = SPOKEN, css = '', direction = 'ltr', options, meant = MEANT } = picture;
  const { colorScheme = 'light', forcedColors = 'none', width = 380 } = picture;
  await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height: 1_000 });
  const address = (state: State) => `${state}@example.com`;
  service.answer(address('verifying'), hang());
  service.answer(address('hint'), deliverable({ role: true }));
  service.answer(address('hint-suggestion'), deliverable({ did_you_mean: meant }));
  service.answer(address('rejected'), undeliverable());
  service.answer(address('rejected-suggestion'), undeliverable({ did_you_mean: meant }));
  service.answer(address('failed'), status(500));
  service.answer(address('limited'), rateLimited());
  const fields = states.map(
    (state) =>
      `<form><input id="${state}" type="email" aria-label="${state}" ${state === 'waiting' ? 'data-email-verify-verify-on="submit"' : ''}><p></p></form>`,
  );
  await widgetPage.open(
    `<script>document.documentElement.dir = '${direction}'</script><main>${fields.join('')}</main>`,
    {
      clock: 'real',
      head: `${LOOK}<style>${css}</style>`,
      options: {
        messages: TEXTS,
        allow: { role: 'warn' },
        blockOnRateLimit: true,
        verificationTimeout: 100,
        ...options,
      },
    },
  );
  for (const state of states) await page.locator(`#${state}`).fill(address(state));
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  for (const state of states) await widgetPage.expectState(STATES[state], page.locator(`#${state}`));
  await page.evaluate(() => document.fonts.ready);
  return states;
}

/** The allowed difference: the smoothing of edges on another machine. A wrong colour or place differs more. */
const TOLERANCE = { threshold: 0.2, maxDiffPixels: 60 };

for (const [name, picture] of Object.entries(PICTURES)) {
  test(`looks like its picture: ${name.replaceAll('-', ' ')}`, async ({ page, widgetPage }) => {
    await open(widgetPage, picture);
    await expect(page).toHaveScreenshot(`${name}.png`, { ...TOLERANCE, clip: await clipOf(page) });
  });
}

/** The rectangle of all fields, and of the status below the last one. */
async function clipOf(page: Page) {
  const { width, height } = (await page.locator('main').boundingBox())!;
  return { x: 0, y: 0, width, height: height + 10 };
}
