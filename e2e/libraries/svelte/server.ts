import { render } from 'svelte/server';
import App from './App.svelte';

export const markup = () => render(App).body;
