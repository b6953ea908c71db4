// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { parentOf } from '../../src/widget/prototypes.ts';

// happy-dom assigns no slots: e2e/reach.spec.ts goes through them.
it('finds the parent of a node, from a shadow root its host, and none above the document', () => {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const input = document.createElement('input');
  root.append(input);
  document.body.append(host);
  expect([input, root, host].map(parentOf)).toEqual([root, host, document.body]);
  expect(parentOf(document)).toBe(null);
});
