import { expect, it } from 'vitest';
import { buildBench } from '../../bench/build.mjs';

it('builds the bench with everything that the service imports', async () => {
  const { errors, outputFiles } = await buildBench({ outdir: 'test-results/bench', write: false });
  expect(errors).toEqual([]);
  expect(outputFiles?.map(({ path }) => path).join('\n')).toContain('load/client.mjs');
});
