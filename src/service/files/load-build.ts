/** Reads the built widget and its released builds from their folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Failure } from '../core/failures.ts';
import type { WidgetFile, WidgetReleases } from './widget-files.ts';

const SCRIPTS = ['widget.js', 'email-verify-widget-status.js', 'widget-standalone.js', 'index.js'];
/** The top-level files of a build that pages load, and that the build makes last. */
const LAST = [...SCRIPTS.flatMap((name) => [name, `${name}.map`]), 'integrity.json'];
/** All of them. */
const FILES = [...LAST, 'email-verify-widget-debug.js', 'debug.mjs'];
/** Pages load all scripts and modules of these folders. */
const FOLDERS = ['locales', 'captcha'];

export interface WidgetBuild {
  readonly version: string;
  readonly files: readonly WidgetFile[];
}

/** A build whose widget is still being made. */
export interface Unfinished {
  readonly version: string;
  /** Settles when the widget is there, or cannot be made. */
  readonly made: Promise<void>;
}

/**
 * Requests for a widget that is being made wait for it, because a page does not ask for a script again.
 *
 * @param unfinished @default the build is whole
 * @returns `undefined` if the folder has no build
 */
export function loadBuild(folder: string, unfinished?: Unfinished): WidgetBuild | undefined {
  if (unfinished) {
    const { version, made } = unfinished;
    const there = loadFiles(folder).filter(({ path }) => !LAST.includes(path));
    const last = LAST.map((path) => ({ path, content: () => readLater(`${folder}/${path}`, made) }));
    return { version, files: [...there, ...last] };
  }
  if (!existsSync(`${folder}/widget.js`) || !existsSync(`${folder}/integrity.json`)) return undefined;
  const { version } = JSON.parse(readFileSync(`${folder}/integrity.json`, 'utf8')) as { version: string };
  return { version, files: loadFiles(folder) };
}

async function readLater(path: string, made: Promise<void>): Promise<Buffer> {
  await made.catch(() => {
    throw new Failure('notBuilt');
  });
  return readFile(path);
}

/**
 * The released builds, by version. A folder such as `releases/2.0.0/` has the released `dist/`, or only its
 * `integrity.json`. In that case, the current build counts as that release if its scripts are identical.
 */
export function loadReleases(folder: string, present: WidgetBuild): WidgetReleases {
  const releases: Record<string, readonly WidgetFile[]> = {};
  for (const version of namesIn(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name))) {
    const released = `${folder}/${version}`;
    if (existsSync(`${released}/widget.js`)) releases[version] = loadFiles(released);
    else if (version === present.version && isSameBuild(present, released)) releases[version] = present.files;
  }
  return releases;
}

function isSameBuild({ files }: WidgetBuild, released: string): boolean {
  const record = `${released}/integrity.json`;
  const integrity = files.find(({ path }) => path === 'integrity.json');
  // Whether an unfinished build is the release shows at the next start.
  return (
    existsSync(record) &&
    Buffer.isBuffer(integrity?.content) &&
    readFileSync(record).equals(integrity.content)
  );
}

function loadFiles(folder: string): WidgetFile[] {
  const nested = FOLDERS.flatMap((name) => namesIn(`${folder}/${name}`).map((file) => `${name}/${file}`));
  return [...FILES, ...nested]
    .filter((path) => /\.(m?js|js\.map|json)$/.test(path) && existsSync(`${folder}/${path}`))
    .map((path) => ({ path, content: readFileSync(`${folder}/${path}`) }));
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
