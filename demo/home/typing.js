/** Types an address into an input as a visitor would. It never moves the focus and never scrolls. */

/** Milliseconds from one character to the next, in turn: even steps look like a machine. */
const RHYTHM = [90, 70, 110, 80, 130, 75];

/** Puts a text into an input and tells the page's scripts, as typing does. */
export function put(input, text) {
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/**
 * @param {HTMLInputElement} input
 * @param {string} text
 * @param {{ after: number, speed: number }} pace the milliseconds before the first character; 2 is twice as fast as a visitor
 * @param {() => void} onTyped is called when the whole text is there
 * @returns {{ stop(): void, finish(): void }} `finish` puts the whole text there at once. Both do nothing after the end
 */
export function type(input, text, { after, speed }, onTyped) {
  let isOver = false;
  let timer;

  function stop() {
    isOver = true;
    clearTimeout(timer);
  }

  function finish() {
    if (isOver) return;
    stop();
    put(input, text);
    onTyped();
  }

  function step(length) {
    if (length === text.length) {
      finish();
      return;
    }
    put(input, text.slice(0, length));
    timer = setTimeout(step, RHYTHM[length % RHYTHM.length] / speed, length + 1);
  }

  timer = setTimeout(step, after, 0);
  return { stop, finish };
}
