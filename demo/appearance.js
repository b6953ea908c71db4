/**
 * What a visitor of the demo has chosen to see: kept for the next page, and shown by attributes of the root element
 * (`data-scheme`, `data-text`, …, `dir`), which demo.css reads. Any control with `data-chooses` chooses: masthead.js
 * makes most. A classic script in the head, so that no page is seen in the wrong colours first.
 */
(() => {
  const DEFAULTS = {
    /** '', 'light' or 'dark': of the system, or otherwise. */
    scheme: '',
    language: 'en',
    direction: 'ltr',
    /** '320': as wide as a small phone. */
    width: '',
    /** 'large': type of 200 %. */
    text: '',
    /** 'forced': colours as a contrast theme forces them. */
    palette: '',
    /** Of the gallery's fields: 'floating' or 'flowing', or both. */
    placement: '',
  };
  const NAMES = Object.keys(DEFAULTS);
  const RIGHT_TO_LEFT = ['ar', 'fa', 'he'];

  const root = document.documentElement;

  // A frame shows what the page around it shows. Its colours may be part of what it is there for.
  if (window !== parent) {
    const around = parent.document.documentElement;
    const fixedScheme = new URLSearchParams(location.search).get('scheme');
    const follow = () => {
      for (const name of NAMES) root.dataset[name] = around.dataset[name] ?? DEFAULTS[name];
      root.dataset.scheme = fixedScheme ?? root.dataset.scheme;
      root.dir = root.dataset.direction;
    };
    new MutationObserver(follow).observe(around, { attributes: true });
    follow();
    return;
  }

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

  const controls = () => document.querySelectorAll('[data-chooses]');

  function show(chosen) {
    for (const name of NAMES) root.dataset[name] = chosen[name];
    root.dir = chosen.direction;
    for (const control of controls()) {
      const value = chosen[control.dataset.chooses];
      if (/checkbox|radio/.test(control.type)) control.checked = control.value === value;
      else control.value = value;
    }
  }

  const chosen = Object.fromEntries(NAMES.map((name) => [name, recall(name)]));
  show(chosen);
  // Another tab's page.
  addEventListener('storage', () => {
    for (const name of NAMES) chosen[name] = recall(name);
    show(chosen);
  });
  document.addEventListener('DOMContentLoaded', () => {
    show(chosen);
    for (const control of controls()) {
      control.addEventListener('change', () => {
        const name = control.dataset.chooses;
        chosen[name] = control.type === 'checkbox' && !control.checked ? DEFAULTS[name] : control.value;
        // A language brings its direction along; that can still be chosen otherwise.
        if (name === 'language') chosen.direction = RIGHT_TO_LEFT.includes(chosen.language) ? 'rtl' : 'ltr';
        for (const part of NAMES) keep(part, chosen[part]);
        show(chosen);
      });
    }
  });
})();
