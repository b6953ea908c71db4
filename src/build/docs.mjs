/** The documentation that the service serves. A link that leads nowhere is a fault. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { cssText, inputsOf, node } from './esbuild.mjs';
import { BuildError } from './fault.mjs';
import { rawText } from './raw-text.mjs';

/** @param scratch a folder for what is not a part of the build */
export async function makeDocumentation(out, scratch) {
  const outfile = `${scratch}/make-docs.mjs`;
  const entryPoints = ['docs/site/make.ts'];
  const plugins = [cssText, rawText];
  const maker = await esbuild.build({ ...node, entryPoints, outfile, plugins, sourcemap: false });
  const { makeDocs } = await import(pathToFileURL(resolve(outfile)));
  const faults = await makeDocs(`${out}/docs`);
  if (faults.length > 0) throw new BuildError(faults.join('\n'));
  return inputsOf([maker]);
}
