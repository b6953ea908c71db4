import { hydrate, mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app')!;
(target.hasChildNodes() ? hydrate : mount)(App, { target });
