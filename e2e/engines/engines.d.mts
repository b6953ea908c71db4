export type EngineName = 'chromium' | 'shell' | 'firefox' | 'webkit';

export interface Engine {
  readonly path: string;
  /** How it is driven: by Playwright's own protocol, by WebDriver BiDi, or by plain WebDriver. */
  readonly driver: 'playwright' | 'bidi' | 'webdriver';
  readonly version: string;
  /** Of WebKitGTK: the program that drives it, and the display it needs. */
  readonly webDriver?: string;
  readonly display?: string;
}

export type Engines = { readonly [Name in EngineName]?: Engine };

export const ENGINES: Record<
  EngineName,
  { title: string; wish?: string; playwright: string[]; packages: string[] }
>;
export const firefoxPreferences: Record<string, string>;
export function findEngines(): Engines;
export function findEnginesAgain(): Engines;
export function firefoxRefusal(): string | undefined;
export function browserArguments(): string[];
