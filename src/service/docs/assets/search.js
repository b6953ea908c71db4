/** Shows what a search finds while the reader types. It asks for the page that the form leads to, and takes its results. */

/** After the last key, in milliseconds. */
const PAUSE = 150;
const SHORTEST = 2;

/** On the page of a search, the results replace those of the page. Elsewhere they open below the field. */
export function searchWhileTyping(form) {
  const input = form.elements.q;
  const status = form.querySelector('.found');
  const inPage = document.getElementById('results');
  const panel = inPage ?? addPanel(form);
  let timer;
  let request;

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    if (inPage) return;
    panel.hidden = true;
    status.textContent = '';
  };

  const show = async () => {
    request?.abort();
    request = new AbortController();
    const url = new URL(form.action);
    url.searchParams.set('q', input.value);
    try {
      const response = await fetch(url, { signal: request.signal });
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const results = page.getElementById('results');
      if (!results) return;
      panel.replaceChildren(...results.children);
      panel.hidden = false;
      status.textContent = panel.querySelector('.count')?.textContent ?? '';
      if (inPage) history.replaceState(null, '', url);
    } catch {
      // Another key was pressed, or the service is away: the button still leads to the page of the search.
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    if (input.value.trim().length < SHORTEST) close();
    else timer = setTimeout(show, PAUSE);
  });
  if (inPage) return;

  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault();
      close();
      input.focus();
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event);
  });
  /** Between the field and the links below it. */
  const move = (event) => {
    if (panel.hidden) return;
    const stops = [input, ...panel.querySelectorAll('a')];
    const next = stops[stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close();
  });
}

function addPanel(form) {
  const panel = document.createElement('div');
  panel.className = 'popover';
  panel.hidden = true;
  form.append(panel);
  return panel;
}
