/** The package as an author gets it from the registry: packed, put into another project, used there. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { brotliCompressSync } from 'node:zlib';
import { build as bundleWithEsbuild } from 'esbuild';
import { build as bundleWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTool, toolFile } from '../../.ci/tools/tools.mjs';
import { PACKAGE, packInto } from '../pack.ts';

const NAME = PACKAGE;
const TSC = resolve('node_modules/typescript/bin/tsc');
const ATTW = toolFile('@arethetypeswrong/cli/dist/index.js');
const PUBLINT = toolFile('publint/src/cli.js');
const webpack = loadTool('webpack');

let tarball: string;
const project = mkdtempSync(join(tmpdir(), 'package-test-'));
const installed = join(project, 'node_modules', NAME);
const run = (command: string, ...parameters: string[]) =>
  execFileSync(command, parameters, { cwd: project, encoding: 'utf8', stdio: 'pipe' });

/** What an author's TypeScript is told, who finds modules in that way. */
function optionsFor(resolution: string): string[] {
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  const modules = ['--module', module, '--moduleResolution', resolution];
  return ['--noEmit', '--strict', ...modules, '--lib', 'es2022,dom'];
}

beforeAll(() => {
  tarball = packInto(project);
});
afterAll(() => rmSync(project, { recursive: true }));

describe('the package', () => {
  it('is a module that can be imported by its name, where there is no document too', () => {
    const source = `import { install } from '${NAME}'; console.log(Object.keys(install({ apiKey: 'test_public' })).sort().join())`;
    expect(run('node', '--input-type=module', '--eval', source)).toBe('destroy,set,verify\n');
  });

  it.each(['bundler', 'nodenext'])('brings types that an author’s TypeScript finds (%s)', (resolution) => {
    writeFileSync(
      join(project, 'page.ts'),
      `import { type Detail, install, type Widget } from '${NAME}';
       import texts from '${NAME}/locales/de';
       const widget: Widget = install({ apiKey: 'test_public', baseUrl: 'https://api.example' });
       export const detail: Promise<Detail> = widget.verify(document.createElement('input'));
       widget.set({ messages: texts });
       // @ts-expect-error the name is apiKey
       install({ apikey: 'test_public' });`,
    );
    expect(run('node', TSC, ...optionsFor(resolution), '--types', '', 'page.ts')).toBe('');
  });

  it.each(['bundler', 'nodenext'])(
    'has types of the global function for pages that refer to them, and for no others (%s)',
    (resolution) => {
      const page = `
        emailVerify('allow', { free: 'warn' });
        window.emailVerify?.({ apiKey: 'test_public' });
        export const version: string | undefined = emailVerify.version;
        export const verdict = await emailVerify('verify', document.createElement('input'));
        if (verdict && 'accepted' in verdict) emailVerify('destroy');
        // @ts-expect-error the name is apiKey
        emailVerify('apikey', 'test_public');`;
      const compile = (source: string, types = '') => {
        writeFileSync(join(project, 'global.ts'), source);
        const options = [...optionsFor(resolution), '--target', 'es2022', '--exactOptionalPropertyTypes'];
        return run('node', TSC, ...options, '--types', types, 'global.ts');
      };
      expect(compile(`/// <reference types="${NAME}/global" />${page}`)).toBe('');
      expect(compile(page, `${NAME}/global`)).toBe('');
      expect(compile(`import type {} from '${NAME}/global';${page}`)).toBe('');
      writeFileSync(join(project, 'module.ts'), `import '${NAME}'; emailVerify('destroy');`);
      expect(() => run('node', TSC, ...optionsFor(resolution), '--types', '', 'module.ts')).toThrow(
        expect.objectContaining({ stdout: expect.stringContaining("Cannot find name 'emailVerify'") }),
      );
    },
  );

  it('brings entries for React and Vue, which do nothing by themselves on a server, with their types', () => {
    for (const name of ['react', 'vue', '@types']) {
      symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
    }
    const source = `for (const name of ['react', 'vue']) {
      const { installEmailVerify, ...more } = await import('${NAME}/' + name);
      installEmailVerify({ apiKey: 'test_public' })();
      console.log(Object.keys(more).sort().join());
    }`;
    expect(run('node', '--input-type=module', '--eval', source)).toBe(
      'EmailInput,useEmailVerify\nuseEmailVerify,vEmailVerify\n',
    );
    writeFileSync(
      join(project, 'app.ts'),
      `import type { ErrorDetail } from '${NAME}';
       import type { NativeElements } from 'vue';
       declare const process: { env: Record<string, string | undefined> };
       import { EmailInput, useEmailVerify as useInReact, type EmailInputProps } from '${NAME}/react';
       import { useEmailVerify as useInVue, vEmailVerify } from '${NAME}/vue';
       const { inputProps, state } = useInReact({ apiKey: 'test_public', onVerified: ({ detail }) => detail.accepted });
       export const known: 'waiting' | 'verifying' | 'accepted' | 'rejected' | 'error' | null = state;
       export const props: EmailInputProps = { name: 'email', verify: { allow: { free: 'warn' } }, ref: inputProps.ref };
       const onError = ({ detail }: CustomEvent<ErrorDetail>) => void detail.status;
       export const input: NativeElements['input'] = { onError, onVerified: ({ detail }) => detail.accepted };
       export const key: string | undefined = process.env.KEY;
       useInReact({ apiKey: key, allow: undefined, onError });
       useInVue(() => null, { apiKey: key, messages: { invalid: key }, statusAppendTo: undefined });
       export const said: string = useInVue(() => null, () => ({ verifyOn: 'blur' })).message.value;
       export { EmailInput, vEmailVerify };
       // @ts-expect-error an element can't be an attribute
       useInReact({ statusAppendTo: document.body });
       // @ts-expect-error the name is apiKey
       useInVue(() => null, { apikey: 'test_public' });`,
    );
    const options = ['--module', 'nodenext', '--lib', 'es2022,dom', '--types', '', '--skipLibCheck'];
    expect(run('node', TSC, '--noEmit', '--strict', ...options, 'app.ts')).toBe('');
    // Where an option may be missing, but not undefined, too.
    expect(
      run('node', TSC, '--noEmit', '--strict', '--exactOptionalPropertyTypes', ...options, 'app.ts'),
    ).toBe('');
  });

  it('brings the captchas, as modules that do nothing by themselves, and as scripts', () => {
    const files = readdirSync(join(installed, 'dist', 'captcha'));
    const names = files.flatMap((file) => /^(.+)\.mjs$/.exec(file)?.[1] ?? []);
    expect(names).toHaveLength(7);
    const source = `for (const name of ${JSON.stringify(names)}) {
      const [[helper, create], ...more] = Object.entries(await import('${NAME}/captcha/' + name));
      console.log(helper, typeof create({ sitekey: 'key', challenge: '/altcha' }), more.length);
    }`;
    const camel = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(run('node', '--input-type=module', '--eval', source)).toBe(
      names.map((name) => `${camel(name)} function 0\n`).join(''),
    );
    for (const name of names) expect(files).toContain(`${name}.js`);
    writeFileSync(
      join(project, 'captcha.ts'),
      `import { install } from '${NAME}';
       ${names.map((name) => `import { ${camel(name)} } from '${NAME}/captcha/${name}';`).join('\n')}
       install({ captcha: turnstile({ sitekey: 'key', params: { theme: 'dark' } }) });
       for (const create of [hcaptcha, recaptchaV2, recaptchaV3, recaptchaEnterprise, friendlyCaptcha]) {
         install({ captcha: create({ sitekey: 'key', nonce: 'n1' }) });
       }
       install({ captcha: altcha({ challenge: '/altcha' }) });
       // @ts-expect-error ALTCHA has no key for sites
       altcha({ sitekey: 'key' });
       // @ts-expect-error the name is sitekey
       turnstile({ siteKey: 'key' });`,
    );
    const options = ['--module', 'nodenext', '--lib', 'es2022,dom', '--types', ''];
    expect(run('node', TSC, '--noEmit', '--strict', ...options, 'captcha.ts')).toBe('');
    // What they have in common is nobody's to import.
    expect(() =>
      run('node', '--input-type=module', '--eval', `import '${NAME}/captcha/shared/place'`),
    ).toThrow();
  });

  it('has the script for those who serve it themselves, with its face beside it or in one file', () => {
    const pathOf = (file: string) => createRequire(join(project, 'page.js')).resolve(`${NAME}/${file}`);
    expect(existsSync(pathOf('email-verify-widget-status.js'))).toBe(true);
    for (const file of ['widget.js', 'widget-standalone.js']) {
      const source = readFileSync(pathOf(file), 'utf8');
      // Neither an import nor an export: a classic script may have none.
      expect(() => new Script(source)).not.toThrow();
      // Its face, and what the option `debug` asks for, come by a script element.
      expect(source).not.toMatch(/\bimport\(|\brequire\(/);
    }
  });

  it('brings no other package along', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: NAME });
    expect(Object.keys(manifest).filter((key) => /dependencies$/i.test(key))).toEqual([
      'peerDependencies',
      'devDependencies',
    ]);
    // Whoever tests with these has them; nobody else needs them.
    for (const name of Object.keys(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });

  it('has a service to test with, that runs where nothing else is installed', () => {
    const source = `
      import { startSandbox } from '${NAME}/testing';
      const service = await startSandbox({ answers: { 'a@b.example': 'undeliverable' } });
      const answer = await fetch(service.origin + '/v1/verify?email=a@b.example');
      const script = await fetch(service.origin + '/v2/');
      console.log((await answer.json()).state, script.status);
      await service.stop();`;
    expect(run('node', '--input-type=module', '--eval', source)).toBe('undeliverable 200\n');
  });

  it('has what a page’s own server needs, in one file that imports nothing', () => {
    const source = `
      import { createClient } from '${NAME}/server';
      const fetch = async () => Response.json({ state: 'risky', reason: 'low_quality' });
      const options = { service: 'https://verify.example', origin: 'https://shop.example', key: 'live_key', fetch };
      const { because } = await createClient(options).checkSubmission({ email: 'a@b.example', proof: '' });
      console.log(because);`;
    expect(run('node', '--input-type=module', '--eval', source)).toBe('low_quality\n');
    const built = readFileSync(join(installed, 'dist', 'server.js'), 'utf8');
    expect(built).not.toMatch(/\bimport\b|\brequire\b/);
  });

  it.each(['bundler', 'nodenext'])('has types for a page’s own server (%s)', (resolution) => {
    writeFileSync(
      join(project, 'server.ts'),
      `import {
         type Callback, createCallbackReader, createClient, createProofVerifier, type Decision, type ProofRefusal,
         verifyEmailToken,
       } from '${NAME}/server';
       const client = createClient({
         service: 'https://verify.example', origin: ['https://shop.example'], key: 'live_key',
         accept: { free: 'warn', states: ['deliverable'] }, policy: 'closed', fetch, seen: async () => false,
       });
       export async function POST(request: Request): Promise<Decision> {
         const form = await request.formData();
         return client.checkSubmission({ email: form.get('email'), proof: form.get('proof') }, { signal: request.signal });
       }
       const verifyProof = createProofVerifier({ service: 'https://verify.example', origin: 'https://shop.example' });
       export async function why(form: FormData): Promise<ProofRefusal | number> {
         const verdict = await verifyProof(form.get('proof'), form.get('email'));
         return verdict.ok ? verdict.result.score : verdict.reason;
       }
       export async function callback({ headers, ...request }: Request): Promise<Callback<{ id: string }>> {
         return createCallbackReader({ secret: 'whsec_AA' }).read({ headers, body: await request.text() });
       }
       export const token = verifyEmailToken('', { email: '', origin: 'https://shop.example', nonce: 'n' });
       // @ts-expect-error a proof of any page would do
       createClient({ service: 'https://verify.example', key: 'live_key' });
       // @ts-expect-error no policy has that name
       createClient({ service: 'https://verify.example', origin: 'https://shop.example', key: 'k', policy: 'close' });`,
    );
    expect(run('node', TSC, ...optionsFor(resolution), '--types', '', 'server.ts')).toBe('');
  });

  it.each(['bundler', 'nodenext'])('has types for tests and for debugging (%s)', (resolution) => {
    // What whoever writes such tests has installed.
    for (const name of ['@types', 'msw', '@playwright']) {
      const there = join(project, 'node_modules', name);
      if (!existsSync(there)) symlinkSync(resolve('node_modules', name), there);
    }
    writeFileSync(
      join(project, 'tests.ts'),
      `import { startSandbox, type Sandbox } from '${NAME}/testing';
       import { handlers } from '${NAME}/testing/msw';
       import { expectVerified, test } from '${NAME}/testing/playwright';
       import { type Entry, observe } from '${NAME}/debug';
       export const service: Promise<Sandbox> = startSandbox({ answers: { 'a@b.example': ['slow', 'undeliverable'] } });
       export const asked: readonly string[] = handlers({ baseUrl: 'https://api.example' }).asked;
       observe((entry: Entry) => console.log(entry.text));
       test('a page', async ({ page, sandbox }) => {
         sandbox.answer('*', { state: 'risky' });
         await expectVerified(page.getByLabel('Email'), 'accepted');
       });
       // @ts-expect-error no answer has that name
       void startSandbox({ answers: { 'a@b.example': 'undeliverabel' } });`,
    );
    // Other packages' own types are theirs to get right.
    const options = [...optionsFor(resolution), '--types', 'node', '--skipLibCheck'];
    expect(run('node', TSC, ...options, 'tests.ts')).toBe('');
  });

  it('has the scripts and modules that its exports name', () => {
    const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const files = [exports].flatMap(function files(entry: unknown): string[] {
      if (typeof entry === 'string') return entry.includes('*') ? [] : [entry];
      return Object.values(entry ?? {}).flatMap(files);
    });
    expect(files.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
  });

  it('is what bundlers and registries expect (publint)', () => {
    // It ends with an error for whatever it finds.
    expect(run('node', PUBLINT, 'run', tarball, '--strict')).toContain('All good!');
  });

  it('has types that each way of resolving finds (@arethetypeswrong/cli)', () => {
    // What is imported by require() is no concern of a package of modules, and scripts for a tag have no types.
    const scripts = [
      ...['widget.js', 'widget-standalone.js', 'email-verify-widget-status.js'],
      ...['email-verify-widget-debug.js', 'locales/*.js', 'captcha/*.js'],
    ];
    const parameters = ['--profile', 'esm-only', '--exclude-entrypoints', ...scripts];
    // It ends with an error for whatever it finds.
    expect(run('node', ATTW, tarball, '--no-emoji', '--no-color', ...parameters)).toContain('OK (ESM)');
  });
});

describe('a page that is bundled with it', () => {
  const entry = join(project, 'bundled.js');
  const outdir = join(project, 'out');
  const outfile = join(outdir, 'page.mjs');

  const bundlers: Record<string, () => Promise<unknown>> = {
    esbuild: () => bundleWithEsbuild({ entryPoints: [entry], outfile, bundle: true, format: 'esm' }),
    Vite: () =>
      bundleWithVite({
        root: project,
        configFile: false,
        logLevel: 'error',
        build: {
          outDir: outdir,
          emptyOutDir: false,
          lib: { entry, formats: ['es'], fileName: () => 'page.mjs' },
        },
      }),
    webpack: () =>
      new Promise<void>((done, failed) => {
        const config = {
          context: project,
          entry,
          mode: 'production',
          target: 'web',
          experiments: { outputModule: true },
          output: { path: outdir, filename: 'page.mjs', module: true },
        };
        webpack(config, (error?: Error, stats?: { hasErrors(): boolean }) => {
          const wrong = error ?? (stats?.hasErrors() ? new Error(String(stats)) : undefined);
          if (wrong) failed(wrong);
          else done();
        });
      }),
  };

  it.each(Object.keys(bundlers))('by %s holds the widget and one language, and runs', async (bundler) => {
    rmSync(outdir, { recursive: true, force: true });
    writeFileSync(
      entry,
      `import { install } from '${NAME}';
       import de from '${NAME}/locales/de';
       console.log(Object.keys(install({ apiKey: 'test_public', locale: de })).sort().join(), de.invalid);`,
    );
    await bundlers[bundler]!();
    expect(run('node', outfile)).toMatch(/^destroy,set,verify Diese Adresse/);
    // The languages that nobody asked for have stayed away.
    expect(readFileSync(outfile, 'utf8')).not.toMatch(/correo|adresse e-mail/);
  });

  it('adds what the README and docs/widget.md say, in kB with brotli', async () => {
    writeFileSync(entry, `import { install } from '${NAME}'; install({ apiKey: 'test_public' });`);
    // What `debug` loads is a chunk of its own.
    const { outputFiles } = await bundleWithEsbuild({
      ...{ entryPoints: [entry], outdir, bundle: true, splitting: true, minify: true, format: 'esm' },
      write: false,
    });
    const own = outputFiles.find(({ path }) => path.endsWith('bundled.js'));
    const kilobytes = Math.round(brotliCompressSync(own!.contents).length / 1000);
    for (const page of ['README.md', 'docs/widget.md'])
      expect(readFileSync(page, 'utf8')).toContain(`${kilobytes} kB with brotli when bundled`);
  });
});
