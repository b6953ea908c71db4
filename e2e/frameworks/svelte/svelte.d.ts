/** The compiler of the bundle sees to what is inside. */
declare module '*.svelte' {
  import type { Component } from 'svelte';

  const component: Component;
  export default component;
}
