/** The pages, by the names with which tests open them. */
import type { Component } from 'vue';
import { App } from './app.ts';
import { Changing } from './changing.ts';
import { Components } from './components.ts';

export const PAGES: Readonly<Record<string, Component>> = {
  app: App,
  components: Components,
  changing: Changing,
};
