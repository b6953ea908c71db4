import { createSSRApp } from 'vue';
import { renderToString } from 'vue/server-renderer';
import { PAGES } from './pages.ts';

export const markup = (page = 'app') => renderToString(createSSRApp(PAGES[page]!));
