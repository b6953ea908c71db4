/** Where a page is rendered there is no document: the module is imported there, and does nothing. */
import { expect, it } from 'vitest';

it('can be imported and installed without a document', async () => {
  expect(typeof document).toBe('undefined');
  const { install } = await import('../../src/widget/index.ts');
  const widget = install({ apiKey: 'test_public' });
  widget.set({ allow: { free: false } });
  expect(await widget.verify({} as HTMLInputElement)).toBeNull();
  widget.destroy();
});
