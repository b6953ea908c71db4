import { renderToString } from 'react-dom/server';
import { strictly } from './pages.tsx';

export const markup = (page = 'app') => renderToString(strictly(page));
