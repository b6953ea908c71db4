/** Puts the header of all pages in its own place. */
(() => {
  const { currentScript } = document;
  const header = document.createElement('header');
  header.className = 'masthead';
  const wordmark = document.createElement('p');
  wordmark.className = 'wordmark';
  wordmark.textContent = 'Email verification widget';
  const nav = document.createElement('nav');
  nav.setAttribute('aria-label', 'Pages');
  for (const [path, name] of [
    ['/', 'Gallery'],
    ['/playground/', 'Playground'],
    ['/theme/', 'Theme'],
    ['/debug/', 'Debug'],
  ]) {
    const link = document.createElement('a');
    link.href = path;
    link.textContent = name;
    if (location.pathname === path) link.setAttribute('aria-current', 'page');
    nav.append(link);
  }
  const appearance = document.createElement('div');
  appearance.className = 'appearance';
  const choices = {
    scheme: ['Colours', { '': 'System', light: 'Light', dark: 'Dark' }],
    language: ['Language', { en: 'English', de: 'Deutsch', ar: 'العربية' }],
    direction: ['Direction', { ltr: 'Left to right', rtl: 'Right to left' }],
  };
  for (const [id, [text, options]] of Object.entries(choices)) {
    const label = document.createElement('label');
    const select = document.createElement('select');
    select.id = id;
    for (const [value, name] of Object.entries(options)) select.append(new Option(name, value));
    label.append(`${text} `, select);
    appearance.append(label);
  }
  header.append(wordmark, nav, appearance);
  const skip = document.createElement('a');
  skip.className = 'skip';
  skip.href = '#main';
  skip.textContent = 'Skip to the content';
  currentScript.replaceWith(skip, header);
})();
