/** @jsxImportSource preact */
import 'preact/debug';
import { hydrate, render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('app')!;
(root.hasChildNodes() ? hydrate : render)(<App />, root);
