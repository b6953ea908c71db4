// @vitest-environment happy-dom
/**
 * No snippet of the documents at the top level or of docs/ can rot: each is run or type-checked, here or by the test that
 * is named for it. A block in a language that is not known here fails: say how it is held to what it shows.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkConfig, parseConfig } from '../../src/service/config/read-config.ts';
import { MAKE_KEY } from '../../src/service/config/sections/secrets-keys-section.ts';
import { MAKE_USER } from '../../src/service/database/embedded/server-user.ts';
import { createCommand, replaceQueue } from '../../src/widget/commands.ts';
import { attributeReadings, DEFAULTS, OVERRIDES, readOption } from '../../src/widget/options.ts';
import { createWidget, type Widget } from '../../src/widget/widget.ts';
import { BLOCKS, type Block, PAGES } from './blocks.ts';

const read = (file: string) => readFileSync(file, 'utf8');
const inLanguage = (...languages: string[]) => BLOCKS.filter(({ language }) => languages.includes(language));
/** As vitest names a row. */
const rows = (blocks: readonly Block[]) => blocks.map((block) => [block.place, block] as const);

/** Documents whose blocks of a language are run word for word by a test of their own. */
const RUN_BY: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md text': 'test/architecture.test.ts',
  'docs/frameworks.md tsx': 'e2e/frameworks.spec.ts',
  'docs/frameworks.md ts': 'e2e/frameworks.spec.ts',
  'docs/frameworks.md vue': 'e2e/frameworks.spec.ts',
  'docs/testing.md ts': 'test/testing/docs.test.ts',
  'docs/debugging.md ts': 'test/testing/docs.test.ts',
  // What is logged.
  'docs/debugging.md ': 'test/testing/docs.test.ts',
  'docs/operations.md yaml': 'test/service/operations/metrics/deploy.test.ts',
  'docs/dashboard.md text': 'test/docs/notice.test.ts',
  'docs/operations.md ini': 'test/service/support/pooler.ts',
  'docs/engine.md csv': 'test/cli/check/expected.test.ts',
  'docs/engine.md text': 'test/cli/survey.test.ts',
  'docs/server.md python': 'test/docs/server.test.ts',
  'docs/server.md php': 'test/docs/server.test.ts',
  'docs/recipes/api-clients.md python': 'test/docs/client-code.test.ts',
  'docs/recipes/api-clients.md php': 'test/docs/client-code.test.ts',
  'docs/recipes/strict-csp.md http': 'e2e/recipes.spec.ts',
};

const HERE = ['html', 'js', 'json', 'css', 'sh'];

it('has a test for the language of every block', () => {
  expect(BLOCKS.length).toBeGreaterThan(50);
  const unknown = BLOCKS.filter(
    ({ file, language }) => !HERE.includes(language) && !RUN_BY[`${file} ${language}`],
  ).map(
    ({ place, language }) =>
      `${place}: "${language}" is run by nothing. Add how to test/docs/snippets.test.ts, or the test that runs it to RUN_BY.`,
  );
  expect(unknown).toEqual([]);
  for (const [what, test] of Object.entries(RUN_BY)) {
    const [file = '', language] = what.split(' ');
    expect(BLOCKS.some((block) => block.file === file && block.language === language)).toBe(true);
    // By its whole name, or by that in its folder.
    expect(read(test)).toMatch(new RegExp(file.replace(/^docs\/|\.md$/g, '').replace('recipes/', '')));
  }
});

it('runs every block of docs/pages.md in a browser', () => {
  const names = ['hosts', 'libraries/hotwire', 'libraries/libraries'];
  const specs = names.map((name) => read(`e2e/${name}.spec.ts`)).join();
  const pages = BLOCKS.filter(({ file }) => file === 'docs/pages.md');
  const unrun = pages.filter(
    ({ heading, number }) => !specs.includes(`'${heading}'${number > 1 ? `, ${number}` : ''}`),
  );
  expect(unrun.map(({ place }) => place)).toEqual([]);
});

/** What a script finds on a page, or hears of, is of the most general type: a page narrows it by knowing itself. */
const UNNARROWED =
  /does not exist on type '(Element|EventTarget|Event|ErrorEvent|HTMLFormControlsCollection|string \| AddressInfo)'/;
/** The queue, which is one thing before the widget's script has come and another after; it is run below. */
const QUEUE =
  /window\.(\w+) = window\.\1 \|\| function \(\) \{ \(\1\.q = \1\.q \|\| \[\]\)\.push\(arguments\) \};/;

describe('scripts', () => {
  it('are type-checked against the package', () => {
    const folder = 'test-results/snippets';
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of ['page', 'express', 'better-auth', 'auth-js'])
      cpSync(`test/docs/${name}.d.ts`, `${folder}/${name}.d.ts`);
    const placeOf: Record<string, string> = {};
    let made = 0;
    const add = (block: Block, code: string) => {
      made += 1;
      placeOf[`${made}.js`] = block.place;
      // A module of its own each: names in one are nothing to another.
      writeFileSync(`${folder}/${made}.js`, `${code.replace(QUEUE, '')}\nexport {};\n`);
    };
    for (const block of inLanguage('js')) add(block, block.code);
    for (const block of inLanguage('html')) for (const script of scriptsIn(block)) add(block, script);
    expect(made).toBeGreaterThan(30);
    const tsconfig = {
      extends: resolve('tsconfig.json'),
      compilerOptions: {
        allowJs: true,
        checkJs: true,
        strict: false,
        exactOptionalPropertyTypes: false,
        noUnusedLocals: false,
        noUnusedParameters: false,
      },
      include: ['.', resolve('src/widget/css.d.ts')],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(tsconfig));
    const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
      encoding: 'utf8',
    });
    const errors = stdout
      .split('\n')
      .filter((line) => line.includes('error TS'))
      // What is found on a page is any element to the compiler, and the target of an event any target.
      .filter((line) => !UNNARROWED.test(line))
      .map((line) => line.replace(/^.*?(\d+\.js)/, (_, file) => placeOf[file] ?? file));
    expect(errors).toEqual([]);
  });
});

/** The scripts that stand in a page, as they stand there. */
function scriptsIn({ code }: Block): string[] {
  const page = new DOMParser().parseFromString(code, 'text/html');
  return [...page.querySelectorAll('script:not([src])')].map((script) => script.textContent ?? '');
}

describe('pages', () => {
  let widget: Widget | undefined;
  afterEach(() => {
    widget?.destroy();
    document.body.replaceChildren();
    for (const name of ['emailVerify', 'emailable', 'EmailVerifyObject'])
      Reflect.deleteProperty(window, name);
  });

  it.each(rows(inLanguage('html')))(
    '%s: its options are ours, and no call is warned of',
    async (_, block) => {
      const { code } = block;
      const page = new DOMParser().parseFromString(code, 'text/html');
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});

      // On the widget's own tag, and on forms and inputs.
      const mistakes: string[] = [];
      const look = (name: string, text: string) =>
        readOption(name, attributeReadings(text), DEFAULTS, (message) => mistakes.push(message));
      for (const script of page.querySelectorAll<HTMLElement>('script[src]')) {
        const path = new URL(script.getAttribute('src')!, 'https://widget.example').pathname;
        expect(path).toSatisfy(isOurs, `${block.place} loads a script that there is`);
        if (isWidget(path)) for (const [name, text] of Object.entries(script.dataset)) look(name, text!);
      }
      for (const element of page.querySelectorAll<HTMLElement>('form, input')) {
        for (const [name, text] of Object.entries(element.dataset)) {
          const option = /^emailVerify(.)(.*)/.exec(name);
          if (!option) continue;
          const own = option[1]!.toLowerCase() + option[2];
          if (!OVERRIDES.some((name) => name === own)) mistakes.push(`${own} can't be a form's own`);
          look(own, text!);
        }
      }
      expect(mistakes).toEqual([]);

      // As a browser does: what stands in the page runs, then the widget arrives and carries out the queue.
      for (const script of page.querySelectorAll('script[src]')) script.remove();
      document.body.innerHTML = page.body.innerHTML;
      widget = createWidget(
        () => 'https://widget.example',
        async () => {},
      );
      const given = vi.spyOn(widget, 'set');
      for (const script of scriptsIn(block)) new Function(script).call(window);
      const scope = window as unknown as Record<string, unknown>;
      const name = typeof scope.EmailVerifyObject === 'string' ? scope.EmailVerifyObject : 'emailVerify';
      const queue = (scope[name] as { q?: unknown[] } | undefined)?.q ?? [];
      replaceQueue(scope, name, createCommand(widget));
      expect(given).toHaveBeenCalledTimes(queue.length);
      widget.set({ apiKey: 'test_public_key' });
      await Promise.resolve();
      expect(warn.mock.calls).toEqual([]);
      if (/emailVerify\('|emailVerify\(\{/.test(code)) expect(queue.length).toBeGreaterThan(0);
    },
  );
});

const isWidget = (path: string) => /^\/v2(\.\d+\.\d+)?\/$/.test(path) || path.includes('email-verify-widget');

/** Whether the service, or the package, has such a script. */
function isOurs(path: string): boolean {
  const [, folder, name] = /^\/v2\/(locales|captcha)\/([\w-]+)\.js$/.exec(path) ?? [];
  return isWidget(path) || existsSync(`src/${folder}/${name}.ts`);
}

it.each(rows(inLanguage('json')))('%s: the service takes it as its config', (_, { code }) => {
  expect(() => checkConfig(parseConfig(code), false)).not.toThrow();
});

describe('style sheets', () => {
  const status = read('src/widget/face/status.css');
  const properties = [...new Set(status.match(/--email-verify-[a-z-]+/g))].sort();

  it.each(rows(inLanguage('css')))('%s: has names that there are', async (_, { code }) => {
    const { warnings } = await transform(code, { loader: 'css' });
    expect(warnings).toEqual([]);
    const parts = read('src/widget/face/status.ts').match(/'(status|spinner|message|suggestion)'/g);
    for (const [, part] of code.matchAll(/::part\(([\w-]+)\)/g)) expect(parts).toContain(`'${part}'`);
    for (const [property] of code.matchAll(/--email-verify-[\w-]+/g)) expect(properties).toContain(property);
    for (const [, name] of code.matchAll(/\.(email-verify-[\w-]+)/g))
      expect(name).toBe('email-verify-status');
  });

  it('docs/widget.md has every custom property, and no other', () => {
    const [, styling = ''] = /^## Styling\n(.*?)^## /ms.exec(read('docs/widget.md')) ?? [];
    expect([...new Set(styling.match(/--email-verify-[a-z-]+/g))].sort()).toEqual(properties);
  });
});

describe('commands', () => {
  const { scripts, files } = JSON.parse(read('package.json')) as {
    scripts: Record<string, string>;
    files: string[];
  };
  const isShipped = (path: string) => files.some((name) => path === name || path.startsWith(`${name}/`));

  /** Docker is not here: the files that it is given are. */
  function expectDocker(words: readonly string[]): void {
    const file = words[words.indexOf('--file') + 1];
    if (words.includes('--file')) expect(existsSync(file!), file).toBe(true);
    for (const path of words.filter((word) => word.startsWith('dist/'))) {
      expect(read('src/build/programs.mjs'), path).toContain(`'${path.replace(/^dist\/|\.js$/g, '')}'`);
    }
    for (const [name] of words.join(' ').matchAll(/\bEVW_[A-Z_]+/g))
      expect(read('docs/configuration.md')).toContain(name);
  }

  it.each(rows(inLanguage('sh')))('%s: what it runs is there', (_, { file, code }) => {
    const commands = code
      .split('\n')
      .flatMap((line) => line.replace(/\s+#.*$/, '').split('&&'))
      .map((command) => command.trim().replace(/^([A-Z_]+=\S+ )+/, ''))
      .filter(Boolean);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const [program, ...words] = command.split(/\s+/);
      const [verb = '', name = ''] = words.filter((word) => !word.startsWith('-'));
      if (program === 'npm' && verb === 'run') expect(scripts).toHaveProperty([name]);
      else if (program === 'npm' && ['start', 'test'].includes(verb)) expect(scripts).toHaveProperty([verb]);
      else if (program === 'npm') expect(['ci', 'pack']).toContain(verb);
      else if (program === 'cp')
        expect(verb.replace('node_modules/email-verify-widget/', '')).toSatisfy(isShipped);
      else if (program === 'node' && words[0] === '-e') {
        // It serves a page for a browser: this spec runs the README's, which is the same.
        const files = BLOCKS.filter((block) => block.code === code).map((block) => block.file);
        expect(files).toContain('README.md');
        expect(read('e2e/first-minutes.spec.ts')).toContain("'../README'");
      } else if (program === 'node') {
        // A file that is there, or that the page has shown.
        const isShown = BLOCKS.some((block) => block.file === file && block.code.startsWith(`// ${verb}:`));
        expect(isShown || existsSync(verb), `${file}: ${verb}`).toBe(true);
      } else if (program === 'curl') expect(words.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
      else if (program === 'docker') expectDocker(words);
      else if (program === 'mkdir') expect(words).toEqual(['-p', 'public/email-verify-widget-2.0.0']);
      else if (program === 'useradd') expect(command).toBe(MAKE_USER);
      else if (program === 'openssl') expect(command).toBe(`${MAKE_KEY} > secrets.key`);
      else if (program === 'chmod') expect(code).toContain(`${MAKE_KEY} > ${name}\n`);
      // It asks for the new password of the user whom it names.
      else if (program === 'psql') expect(command).toMatch(/--username=\w+ .*--command '\\password'$/);
      else if (program === 'createuser') expect(words).toEqual(['--replication', '--pwprompt', 'replica']);
      // The tests of a replica make it in this way.
      else if (program === 'pg_basebackup')
        expect(read('test/service/support/postgres-server.ts')).toContain(
          `'${words.slice(-2).join("', '")}'`,
        );
      else if (program === 'echo') {
        // It goes into a file of variables, which Compose reads.
        expect(read('deploy/compose.yml')).toContain(`\${${/[A-Z_]+(?==)/.exec(command)}`);
      } else if (program === 'unzip') expect(read('test/docs/batch.test.ts')).toContain(`'${file}'`);
      else
        throw new Error(
          `${file}: "${program}" is not known here. Add to this test how to tell that it works.`,
        );
    }
  });
});

it.each(PAGES)('names commands that are scripts of the package: %s', (file) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const commands = [...read(file).matchAll(/`[^`\n]*`/g)].flatMap(([code]) => [
    ...code.matchAll(/\bnpm (?:run (?:--\S+ )*)?([\w:-]+)/g),
  ]);
  const names = commands.map(([, name = '']) => name).filter((name) => !/^(ci|install|pack)$/.test(name));
  expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

describe('tables', () => {
  /** The cells of the table's first column under a heading, without what is only mentioned there. */
  const namesUnder = (file: string, heading: string, column: number): string[][] => {
    const [, section = ''] =
      new RegExp(`^## ${heading}\\n(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(read(file)) ?? [];
    return [...section.matchAll(/^\| (.*) \|$/gm)]
      .map(([, row = '']) => row.split(' | ')[column]!)
      .slice(2)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  };

  it.each(['README.md', 'docs/widget.md'])('%s has every option with its default, and no other', (file) => {
    const names = namesUnder(file, 'Options', 0);
    expect(names.flat().sort()).toEqual(Object.keys(DEFAULTS).sort());
    const shown = namesUnder(file, 'Options', 1);
    const wrong = names.flatMap((options, row) =>
      options.filter((name) => {
        const value = DEFAULTS[name as keyof typeof DEFAULTS];
        // What an object holds is told in words, and no key, URL or captcha stands for none.
        const isTold =
          typeof value === 'object'
            ? Array.isArray(value)
            : value !== '' || /^(result|proof)Field$/.test(name);
        const written = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
        return isTold && shown[row]![0] !== written;
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('docs/recipes/moving.md leads to options, keys of options, events and calls that there are', () => {
    const file = 'docs/recipes/moving.md';
    const vendors = [...read(file).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
    expect(vendors).toContain('Verifalia');
    const names = vendors.flatMap((vendor) => namesUnder(file, vendor, 1).flat());
    expect(names.length).toBeGreaterThan(40);
    const known = new Set([
      ...Object.keys(DEFAULTS),
      ...(['allow', 'messages', 'style'] as const).flatMap((name) =>
        Object.keys(DEFAULTS[name]).map((key) => `${name}.${key}`),
      ),
      ...['verifying', 'verified', 'error'],
      ...["emailVerify('verify', input)", "emailVerify('destroy')", 'data-email-verify-*'],
    ]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('listeners', () => {
  const listening = [...inLanguage('html'), ...inLanguage('js')].filter(
    ({ file, code }) => /^(README|docs\/recipes\/)/.test(file) && code.includes("addEventListener('error'"),
  );

  it.each(rows(listening))(
    '%s: none throws when an image fails to load, or another script fires such an event',
    (_, block) => {
      const isPage = block.language === 'html';
      const page = new DOMParser().parseFromString(isPage ? block.code : '<form></form>', 'text/html');
      for (const script of page.querySelectorAll('script')) script.remove();
      document.body.innerHTML = page.body.innerHTML;
      for (const script of isPage ? scriptsIn(block) : [block.code]) new Function(script).call(window);

      const thrown: unknown[] = [];
      const note = ({ error }: ErrorEvent) => thrown.push(error);
      window.addEventListener('error', note);
      for (const type of ['error', 'verified']) {
        const image = document.querySelector('form')!.appendChild(new Image());
        try {
          image.dispatchEvent(new Event(type, { bubbles: type === 'verified' }));
        } catch (error) {
          thrown.push(error);
        }
      }
      window.removeEventListener('error', note);
      document.body.replaceChildren();

      expect(thrown).toEqual([]);
    },
  );
});

describe('links', () => {
  const textOf = (file: string) => read(file).replace(/^ *```.*?^ *```$/gms, '');
  // As GitHub makes them.
  const anchorsOf = (file: string) =>
    [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  /** Markdown's own, inline or by reference, and those of HTML: links, pictures and their sources. */
  const linksIn = (file: string): string[] =>
    [...textOf(file).matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: *(\S+)|\b(?:href|src|srcset)="([^"\s]+)/gm)].map(
      ([, inline, reference, attribute]) => inline ?? reference ?? attribute ?? '',
    );
  const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
  const home = repository.url.replace(/^git\+|\.git$/g, '');
  const raw = home.replace('//github.com/', '//raw.githubusercontent.com/');
  /** The file of this repository that an absolute link leads to, with its anchor. */
  const pathInRepository = (link: string): string | undefined =>
    [`${home}/blob/main/`, `${home}/tree/main/`, `${raw}/main/`]
      .filter((start) => link.startsWith(start))
      .map((start) => link.slice(start.length))[0];
  const leadsNowhere = (file: string, link: string): boolean => {
    const own = pathInRepository(link);
    // Another one of this repository would be a mistake in the branch or the folder.
    if (own === undefined && /^(https?|mailto):/.test(link))
      // Private reports are a page of GitHub itself.
      return link !== `${home}/security/advisories/new` && (link.startsWith(home) || link.startsWith(raw));
    const [path = '', anchor] = (own ?? link).split('#');
    const target = own !== undefined ? path : path === '' ? file : join(dirname(file), path);
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  };

  it.each(PAGES)('%s: each leads to a file and a heading that exist', (file) => {
    expect(linksIn(file).filter((link) => leadsNowhere(file, link))).toEqual([]);
  });

  it('the README links by whole URLs, so that its links work in the npm registry as well', () => {
    const links = linksIn('README.md');
    expect(links.filter((link) => !/^(#|https:\/\/)/.test(link))).toEqual([]);
    const own = links.map(pathInRepository);
    expect(own).toContain('docs/pictures/hint-dark.png');
    expect(own).toContain('docs/service.md#test-keys');
    expect(links).toContain('#options');
  });

  it('the pages for newcomers are in the README', () => {
    const own = linksIn('README.md').map(pathInRepository);
    for (const name of ['start', 'widget', 'troubleshooting', 'privacy', 'upgrading', 'comparison'])
      expect(own).toContain(`docs/${name}.md`);
  });

  it('finds a file, a heading and a picture that do not exist', () => {
    expect(leadsNowhere('README.md', 'docs/nowhere.md')).toBe(true);
    expect(leadsNowhere('README.md', 'docs/service.md#nowhere')).toBe(true);
    expect(leadsNowhere('docs/service.md', '#nowhere')).toBe(true);
    expect(leadsNowhere('README.md', `${home}/blob/main/docs/nowhere.md`)).toBe(true);
    expect(leadsNowhere('README.md', `${home}/blob/main/docs/service.md#nowhere`)).toBe(true);
    expect(leadsNowhere('README.md', `${home}/blob/master/docs/service.md`)).toBe(true);
    expect(leadsNowhere('README.md', `${raw}/main/docs/pictures/nowhere.png`)).toBe(true);
    expect(leadsNowhere('docs/service.md', `${home}/blob/main/docs/service.md`)).toBe(false);
  });
});
