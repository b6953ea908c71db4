/** The bundle's compiler checks the content of Svelte files. */
declare module '*.svelte' {
  import type { Component } from 'svelte';

  const component: Component;
  export default component;
}
