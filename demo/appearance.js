/**
 * What a visitor of the demo has chosen to see: kept for the next page, and shown by attributes of the root element
 * (`data-scheme`, `data-language`, `dir`). A classic script in the head, so that no page is seen in the wrong colours
 * first. Frames follow by the storage event.
 */
(() => {
  const DEFAULTS = { scheme: '', language: 'en', direction: 'ltr' };
  const RIGHT_TO_LEFT = ['ar', 'fa', 'he'];

  const root = document.documentElement;
  // A frame's colours are part of what it shows.
  const fixedScheme = new URLSearchParams(location.search).get('scheme');

  const recall = (name) => {
    try {
      return localStorage.getItem(`demo-${name}`) ?? DEFAULTS[name];
    } catch {
      // Storage is blocked: every page starts with what the system says.
      return DEFAULTS[name];
    }
  };
  const keep = (name, value) => {
    try {
      localStorage.setItem(`demo-${name}`, value);
    } catch {
      // As above.
    }
  };

  function show(chosen) {
    root.dataset.scheme = fixedScheme ?? chosen.scheme;
    root.dataset.language = chosen.language;
    root.dir = chosen.direction;
    for (const [name, value] of Object.entries(chosen)) {
      const select = document.querySelector(`#${name}`);
      if (select) select.value = value;
    }
  }

  const chosen = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, recall(name)]));
  show(chosen);
  addEventListener('storage', () => {
    for (const name of Object.keys(chosen)) chosen[name] = recall(name);
    show(chosen);
  });
  document.addEventListener('DOMContentLoaded', () => {
    show(chosen);
    for (const name of Object.keys(chosen)) {
      document.querySelector(`#${name}`)?.addEventListener('change', ({ target }) => {
        chosen[name] = target.value;
        // A language brings its direction along; that can still be chosen otherwise.
        if (name === 'language') chosen.direction = RIGHT_TO_LEFT.includes(target.value) ? 'rtl' : 'ltr';
        for (const [part, value] of Object.entries(chosen)) keep(part, value);
        show(chosen);
      });
    }
  });
})();
