/** Bundles the apps of this folder as their tools do, with the frameworks' development builds, which print warnings. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const HERE = fileURLToPath(new URL('.', import.meta.url));

const DEVELOPMENT: BuildOptions = {
  absWorkingDir: HERE,
  bundle: true,
  write: false,
  // Browsers do not know decorators yet.
  target: 'es2022',
  logLevel: 'error',
  conditions: ['development', 'module'],
  define: {
    'process.env.NODE_ENV': '"development"',
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'true',
  },
  // The shipped files. Only the types come from the sources.
  alias: {
    'email-verify-widget/react': '../../dist/react.js',
    'email-verify-widget/vue': '../../dist/vue.js',
    'email-verify-widget': '../../dist/index.js',
  },
};

interface ServerModule {
  markup(page?: string): string | Promise<string>;
}

/** The bundles of this worker. */
const scripts = new Map<string, Promise<string>>();

/** The script of an app's page. @param entry a file of this folder */
export const scriptOf = (entry: string): Promise<string> =>
  bundle(entry, {
    platform: 'browser',
    format: 'esm',
    alias: {
      ...DEVELOPMENT.alias,
      // The build of Vue that compiles templates.
      vue: 'vue/dist/vue.esm-bundler.js',
    },
    plugins: [svelte('client')],
  });

/** The HTML that an app's server sends. @param entry a file of this folder, whose `markup()` renders it */
export async function markupOf(entry: string, page?: string): Promise<string> {
  const script = await bundle(entry, { platform: 'node', format: 'cjs', plugins: [svelte('server')] });
  const module = { exports: {} as ServerModule };
  new Function('module', 'require', script)(module, createRequire(HERE));
  return module.exports.markup(page);
}

function bundle(entry: string, options: BuildOptions): Promise<string> {
  const script =
    scripts.get(entry) ??
    build({ ...DEVELOPMENT, ...options, entryPoints: [entry] }).then((built) => built.outputFiles![0]!.text);
  scripts.set(entry, script);
  return script;
}

const svelte = (generate: 'client' | 'server'): Plugin => ({
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      // Loaded only if needed, because loading it takes longer than making most bundles.
      const { compile } = await import('svelte/compiler');
      const { js } = compile(readFileSync(path, 'utf8'), { filename: path, generate, dev: true });
      return { contents: js.code };
    });
  },
});
