/** The pages, by the names with which tests open them. */
import { type ReactNode, StrictMode } from 'react';
import { Action } from './action.tsx';
import { App } from './app.tsx';
import { Changing } from './changing.tsx';
import { Components } from './components.tsx';
import { WholeDocument } from './document.tsx';
import { Installed } from './installed.tsx';

export const PAGES: Readonly<Record<string, ReactNode>> = {
  app: <App />,
  action: <Action />,
  installed: <Installed />,
  components: <Components />,
  changing: <Changing />,
  document: <WholeDocument />,
};

export const strictly = (page: string) => <StrictMode>{PAGES[page]}</StrictMode>;
