import { createApp, createSSRApp } from 'vue';
import { App } from './app.ts';

const root = document.getElementById('app')!;
(root.hasChildNodes() ? createSSRApp(App) : createApp(App)).mount(root);
