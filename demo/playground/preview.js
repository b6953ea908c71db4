/**
 * The form's own page. A classic script before the widget's: it tells the playground around it what happens here, and
 * does to the form what the playground asks for. The widget knows nothing of it.
 */
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const tell = (type, detail) => parent.dispatchEvent(new CustomEvent(`preview-${type}`, { detail }));

  // Calls before the widget has arrived wait in a queue; it empties it.
  window.emailVerify = (...call) => window.emailVerify.q.push(call);
  window.emailVerify.q = [];

  // What the widget warns of, which goes on to the console.

  for (const level of ['warn', 'error']) {
    const say = console[level];
    console[level] = (...words) => {
      tell('warning', { level, text: words.map(String).join(' ') });
      say.apply(console, words);
    };
  }

  // What it asks the service, and what that says.

  const { fetch } = window;
  let asked = 0;
  window.fetch = async (url, init) => {
    asked += 1;
    const id = asked;
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    tell('request', {
      id,
      method: init.method,
      url,
      body: init.body ? String(init.body) : '',
      ms: performance.timeOrigin + startedAt,
    });
    let status;
    const fail = () => tell('failure', { id, status, ms: elapsed(), isGivenUp: init.signal.aborted });
    try {
      const response = await fetch(url, init);
      status = response.status;
      const ms = elapsed();
      const report = (body) => tell('answer', { id, status, ms, body });
      listenIn(response, report, fail);
      return response;
    } catch (error) {
      fail();
      throw error;
    } finally {
      // A token is for one use.
      if (`${url}${init.body}`.includes('captcha_response=')) setSolved(false);
    }
  };

  /** As much of a response as the widget reads. */
  const LONGEST_BODY = 10_000;

  /** Reads along with the widget. A copy of the response would have to be read to its end, which may never come. */
  function listenIn(response, report, fail) {
    const { body } = response;
    if (!body) {
      report('');
      return;
    }
    body.getReader = () => {
      const reader = ReadableStream.prototype.getReader.call(body);
      const decoder = new TextDecoder();
      let text = '';
      return {
        async read() {
          try {
            const chunk = await reader.read();
            text += decoder.decode(chunk.value, { stream: !chunk.done });
            if (chunk.done || text.length >= LONGEST_BODY) report(text);
            return chunk;
          } catch (error) {
            fail();
            throw error;
          }
        },
      };
    };
  }

  // The widget's second file, as a host in trouble would serve it.

  const LATE_MS = 2000;
  const { appendChild } = Node.prototype;
  let face = 'none';
  Node.prototype.appendChild = function (child) {
    const property = child.localName === 'script' ? 'src' : 'href';
    if (face === 'none' || !/email-verify-widget-status/.test(child[property]))
      return appendChild.call(this, child);
    if (face === 'late') {
      setTimeout(() => appendChild.call(this, child), LATE_MS);
      return child;
    }
    // A file that is not there, or one with other contents. The browser itself refuses both.
    child[property] = face === 'missing' ? 'email-verify-widget-status.js' : 'preview.js';
    return appendChild.call(this, child);
  };

  // Events.

  const tellEvent = (event, tone, detail) =>
    // A form's own `name` is hidden by a field of that name.
    tell('event', { type: event.type, name: event.target.getAttribute('name'), tone, detail });
  document.addEventListener('verifying', (event) => tellEvent(event, 'verifying', event.detail));
  document.addEventListener('verified', (event) => {
    tellEvent(event, event.detail.accepted ? 'accepted' : 'rejected', event.detail);
  });
  // The widget's `error` does not bubble; scripts and sheets that fail to load have one without a detail.
  document.addEventListener(
    'error',
    (event) => {
      if (event instanceof CustomEvent) tellEvent(event, 'error', event.detail);
    },
    true,
  );
  document.addEventListener('submit', (event) => {
    event.preventDefault();
    const { target, submitter } = event;
    tellEvent(event, 'submit', Object.fromEntries(new FormData(target, submitter)));
    const path = submitter?.getAttribute('formaction') ?? target.getAttribute('action');
    find('#sent').textContent = `On a real page, this form would go to ${path}.`;
  });
  document.addEventListener('input', () => {
    find('#sent').textContent = '';
  });

  // Looks. The classes of Bootstrap stand in the form, and mean nothing without its sheet.

  let bootstrap;
  function dress(look) {
    if (look === 'bootstrap' && !bootstrap) {
      bootstrap = document.createElement('link');
      bootstrap.rel = 'stylesheet';
      bootstrap.href = '/libraries/bootstrap.min.css';
      find('link[rel=stylesheet]').before(bootstrap);
    }
    if (bootstrap) bootstrap.disabled = look !== 'bootstrap';
    root.dataset.look = look;
  }

  const isDark = matchMedia('(prefers-color-scheme: dark)');
  function showScheme() {
    root.dataset.bsTheme = root.dataset.scheme || (isDark.matches ? 'dark' : 'light');
  }
  showScheme();
  isDark.addEventListener('change', showScheme);
  new MutationObserver(showScheme).observe(root, { attributeFilter: ['data-scheme'] });

  // The stand-in for a captcha.

  function setSolved(isSolved) {
    const button = find('#solve');
    button.setAttribute('aria-pressed', String(isSolved));
    button.textContent = isSolved ? 'Solved' : 'I am not a robot';
    find('[name=captcha-response]').value = isSolved ? 'solved' : '';
  }

  document.addEventListener('DOMContentLoaded', () => {
    find('#solve').addEventListener('click', () => setSolved(true));
    new ResizeObserver(() => tell('size', { height: root.offsetHeight })).observe(root);
  });

  // Typing, as a visitor's would look to any script.

  const { set: setValue } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');

  window.preview = {
    dress,
    /** @param {string} fate a value of the setting `simulate.face` */
    simulateFace(fate) {
      face = fate;
    },
    showCaptcha(isShown) {
      find('#captcha').hidden = !isShown;
    },
    type(address) {
      const email = find('#email');
      setValue.call(email, address);
      email.dispatchEvent(
        new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }),
      );
      email.focus();
    },
    values: () => ({ email: find('#email').value, recovery: find('#recovery').value }),
    /** Puts values back that another copy of this page has had, and has the first of them verified. */
    restore(values) {
      for (const [id, value] of Object.entries(values)) find(`#${id}`).value = value;
      if (values.email) window.emailVerify('verify', find('#email'));
    },
  };

  tell('start', window);
})();
