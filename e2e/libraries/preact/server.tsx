/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import { App } from './app.tsx';

export const markup = () => renderToString(<App />);
