import { createSSRApp } from 'vue';
import { renderToString } from 'vue/server-renderer';
import { App } from './app.ts';

export const markup = () => renderToString(createSSRApp(App));
