/** Pages that are bundled with Svelte, Angular and Preact, as those with React and Vue in e2e/frameworks.spec.ts. */
import { testFramework } from '../frameworks/journeys.ts';
import { compileSvelte } from './svelte/compile.ts';

testFramework('Svelte', {
  client: '../libraries/svelte/client.ts',
  server: '../libraries/svelte/server.ts',
  keepsTyped: true,
  reader: compileSvelte,
});
testFramework('Angular', { client: '../libraries/angular/client.ts' });
testFramework('Preact', {
  client: '../libraries/preact/client.tsx',
  server: '../libraries/preact/server.tsx',
  keepsTyped: false,
});
