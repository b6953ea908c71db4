import { createRoot, hydrateRoot } from 'react-dom/client';
import { strictly } from './pages.tsx';

const root = document.getElementById('app');
if (!root) hydrateRoot(document, strictly('document'));
else if (root.hasChildNodes()) hydrateRoot(root, strictly(root.className));
else createRoot(root).render(strictly(root.className));
