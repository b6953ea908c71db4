/**
 * The head of every page, in the place of the script itself, as `<script src="masthead.js"></script>` first in the
 * body: where one is, where else there is to go, and how all of it is to look. A classic script, so that it is there
 * before anything is seen. Addresses follow from its own: the demo may stand in any folder.
 */
(() => {
  const script = document.currentScript;
  const home = new URL('.', script.src);

  const PAGES = [
    ['Gallery', ''],
    ['Playground', 'playground/'],
    ['Theme', 'theme/'],
    ['Debug', 'debug/'],
    ['Reference', 'reference/'],
    ['Service API', 'docs'],
  ];

  /** By the names that appearance.js knows. */
  const CHOICES = [
    [
      'Colours',
      'scheme',
      [
        ['', 'System'],
        ['light', 'Light'],
        ['dark', 'Dark'],
      ],
    ],
    // The others are added by language.js.
    ['Language', 'language', [['en', 'English']]],
    [
      'Direction',
      'direction',
      [
        ['ltr', 'Left to right'],
        ['rtl', 'Right to left'],
      ],
    ],
  ];
  const SWITCHES = [
    ['320 px', 'width', '320'],
    ['Large text', 'text', 'large'],
    ['Forced colours', 'palette', 'forced'],
  ];

  /** Children are elements or text, as in element.js, which a classic script cannot import. */
  function make(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    made.append(...children);
    return made;
  }

  const placeOf = ({ pathname }) => pathname.replace(/(\/index\.html|\/)$/, '');

  const links = PAGES.map(([title, path]) => {
    const address = new URL(path, home);
    const isHere = placeOf(address) === placeOf(location);
    return make('a', { href: address.pathname, ...(isHere ? { 'aria-current': 'page' } : {}) }, title);
  });

  const selects = CHOICES.map(([title, name, options]) => {
    const select = make('select', { 'data-chooses': name, autocomplete: 'off' });
    select.append(...options.map(([value, text]) => make('option', { value }, text)));
    return make('label', {}, title, select);
  });

  const boxes = SWITCHES.map(([title, name, value]) => {
    const box = make('input', { type: 'checkbox', 'data-chooses': name, value, autocomplete: 'off' });
    return make('label', { class: `switch ${name}` }, box, title);
  });

  script.replaceWith(
    make('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    make(
      'header',
      { class: 'masthead' },
      make('p', { class: 'wordmark' }, 'Email verification widget'),
      make('nav', { 'aria-label': 'Pages' }, ...links),
    ),
    make('section', { class: 'appearance', 'aria-label': 'Appearance' }, ...selects, ...boxes),
    // Not among the controls, which stay in sight as the page is scrolled: it would make them twice as high.
    make(
      'aside',
      { class: 'imitation note', 'aria-label': 'About this imitation' },
      'These forced colours are an imitation: no page can turn the real ones on. For those, in Chromium’s ' +
        'developer tools: Rendering, Emulate CSS media feature ',
      make('code', {}, 'forced-colors: active'),
      '.',
    ),
  );
})();
