/** Bundles the apps as their tools do, with the frameworks' development builds, which print warnings. */
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

/** Lets a bundle read the files of a framework. */
export type Reader = (side: 'client' | 'server') => Plugin;

/** The script of an app's page. @param entry its file, seen from this folder */
export const scriptOf = (entry: string, reader?: Reader): Promise<string> =>
  bundle(entry, {
    platform: 'browser',
    format: 'esm',
    alias: {
      ...DEVELOPMENT.alias,
      // The build of Vue that compiles templates.
      vue: 'vue/dist/vue.esm-bundler.js',
    },
    plugins: reader ? [reader('client')] : [],
  });

/** The HTML that an app's server sends. @param entry a file, seen from this folder, whose `markup()` renders it */
export async function markupOf(entry: string, page?: string, reader?: Reader): Promise<string> {
  const plugins = reader ? [reader('server')] : [];
  const script = await bundle(entry, { platform: 'node', format: 'cjs', plugins });
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
