/** Minifies what esbuild has bundled. terser makes it a twelfth smaller than esbuild would. */
import { minify } from 'terser';

/**
 * Properties that no page, no browser and no other bundle reads begin with an underscore. The bundle shortens them to a
 * letter. All others keep their names, so a property without an underscore costs bytes and breaks nothing.
 */
const INTERNAL = /^_[a-z]/;

const COMPRESS = {
  ecma: 2020,
  passes: 4,
  // Keeps `typeof value === 'string'` as it is everywhere, which compresses better.
  lhs_constants: false,
  unsafe_arrows: true,
  keep_fargs: false,
  inline: 1,
  sequences: false,
};

/** @param options of terser, for this bundle @param unsafe of its steps, which need a look at what they change */
export function minifyBundle(text, options, unsafe = {}) {
  return minify(text, {
    ecma: 2020,
    toplevel: true,
    compress: { ...COMPRESS, ...unsafe },
    mangle: { properties: { builtins: true, regex: INTERNAL } },
    ...options,
  });
}
