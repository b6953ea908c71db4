/**
 * Colour scheme and direction of a demo page, kept for the next one. A classic script in the head, so that no
 * page is seen in the wrong colours first. Frames follow by the storage event.
 */
(() => {
  const root = document.documentElement;
  // A frame's colours are part of what it shows.
  const fixedScheme = new URLSearchParams(location.search).get('scheme');

  const recall = (name) => {
    try {
      return localStorage.getItem(`demo-${name}`) ?? '';
    } catch {
      // Storage is blocked: every page starts with what the system says.
      return '';
    }
  };
  const keep = (name, value) => {
    try {
      localStorage.setItem(`demo-${name}`, value);
    } catch {
      // As above.
    }
  };

  function show() {
    root.dataset.scheme = fixedScheme ?? recall('scheme');
    root.dir = recall('direction') || 'ltr';
  }

  show();
  addEventListener('storage', show);
  document.addEventListener('DOMContentLoaded', () => {
    const scheme = document.querySelector('#scheme');
    const direction = document.querySelector('#direction');
    if (!scheme || !direction) return;
    scheme.value = root.dataset.scheme;
    direction.value = root.dir;
    scheme.addEventListener('change', () => {
      keep('scheme', scheme.value);
      root.dataset.scheme = scheme.value;
    });
    direction.addEventListener('change', () => {
      keep('direction', direction.value);
      root.dir = direction.value;
    });
  });
})();
