/**
 * How a visitor has chosen to see the pages. Keeps the choices for the next page, and shows them by attributes of the
 * root element (`data-scheme`, `data-text`, …), which the style sheets read. Any control with `data-chooses` chooses.
 * Most are in the masthead's View disclosure, which this script closes and labels.
 *
 * The language and the direction are those of the widget. The page itself stays English, so only the elements with
 * `data-sample` are turned: forms that show the widget, or the root of a page in a frame.
 *
 * A classic script in the head, so that no page is seen in the wrong colours first. With `data-only="scheme"` on its
 * tag, the page shows that choice and no other.
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
  const { only } = document.currentScript.dataset;
  const NAMES = Object.keys(DEFAULTS).filter((name) => !only || name === only);
  const RIGHT_TO_LEFT = ['ar', 'fa', 'he'];

  /** In seconds. */
  const YEAR = 31_536_000;

  const root = document.documentElement;

  const turnSamples = (direction) => {
    for (const sample of document.querySelectorAll('[data-sample]')) sample.dir = direction;
  };

  // A frame shows what the page around it shows. Its colours may be part of what it is there for.
  if (window !== parent) {
    const around = parent.document.documentElement;
    const fixedScheme = new URLSearchParams(location.search).get('scheme');
    const follow = () => {
      for (const name of NAMES) root.dataset[name] = around.dataset[name] ?? DEFAULTS[name];
      root.dataset.scheme = fixedScheme ?? root.dataset.scheme;
      turnSamples(root.dataset.direction);
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
      // The sign-in and other pages without scripts: the service gives them the colours.
      if (name === 'scheme') {
        // biome-ignore lint/suspicious/noDocumentCookie: Safari 18.1 and Firefox 132 have no cookie store.
        document.cookie = `scheme=${value}; Path=/; SameSite=Lax; Max-Age=${value ? YEAR : 0}`;
      }
    } catch {
      // As above.
    }
  };

  const controls = () => [...document.querySelectorAll('[data-chooses]')];
  const isToggle = ({ type }) => type === 'checkbox' || type === 'radio';

  function show(chosen) {
    for (const name of NAMES) root.dataset[name] = chosen[name];
    if (NAMES.includes('direction')) turnSamples(chosen.direction);
    for (const control of controls()) {
      const value = chosen[control.dataset.chooses];
      if (isToggle(control)) control.checked = control.value === value;
      else control.value = value;
    }
    sayWhatDiffers();
  }

  /** Names what is not as by default: "View: dark, 320 px". */
  function sayWhatDiffers() {
    const told = document.querySelector('.view .differs');
    if (!told) return;
    const words = controls()
      .filter((control) => control.closest('.view') && isDifferent(control))
      .map(wordOf);
    told.textContent = words.length > 0 ? `: ${words.join(', ')}` : '';
  }

  const isDifferent = (control) =>
    isToggle(control) ? control.checked : control.value !== DEFAULTS[control.dataset.chooses];

  function wordOf(control) {
    if (isToggle(control)) return control.parentElement.textContent.trim().toLowerCase();
    const [option] = control.selectedOptions;
    // The name of another language stays as that language writes it.
    return option?.lang ? `widget in ${option.text}` : (option?.text ?? control.value).toLowerCase();
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
    const view = document.querySelector('.view');
    if (view) closeLightly(view);
  });

  /** Escape closes the disclosure, and so does whatever the visitor does elsewhere. */
  function closeLightly(view) {
    const close = () => {
      view.open = false;
    };
    view.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !view.open) return;
      close();
      view.querySelector('summary').focus();
    });
    for (const type of ['pointerdown', 'focusin']) {
      document.addEventListener(type, ({ target }) => {
        if (!view.contains(target)) close();
      });
    }
    // The focus has gone into a frame. Firefox says so only after the event.
    addEventListener('blur', () => {
      setTimeout(() => {
        if (document.activeElement?.localName === 'iframe') close();
      });
    });
  }
})();
