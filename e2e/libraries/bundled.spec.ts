/** Pages that are bundled with Svelte, Angular and Preact, as those with React and Vue in e2e/frameworks.spec.ts. */
import { testFramework } from '../frameworks/journeys.ts';
import { compileSvelte } from './svelte/compile.ts';

testFramework('Svelte', {
  client: './svelte/client.ts',
  server: './svelte/server.ts',
  keepsTyped: true,
  reader: compileSvelte,
});
testFramework('Angular', { client: './angular/client.ts' });
testFramework('Preact', {
  client: './preact/client.tsx',
  server: './preact/server.tsx',
  keepsTyped: false,
});
