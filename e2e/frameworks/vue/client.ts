import { createApp, createSSRApp } from 'vue';
import { PAGES } from './pages.ts';

const root = document.getElementById('app')!;
const page = PAGES[root.className]!;
(root.hasChildNodes() ? createSSRApp(page) : createApp(page)).mount(root);
