/**
 * The form of the first page. A mistyped address is typed once by itself; the visitor presses the widget's suggestion.
 * Whatever the visitor does in the form ends the typing. The buttons below the form type other addresses.
 */
import { describeError, describeVerified } from './outcome.js';
import { put, type } from './typing.js';

/** The visitor sees the empty form first. */
const BY_ITSELF = { after: 900, speed: 1 };
/** Whoever has pressed a button waits for the result, not for the letters. */
const AT_A_PRESS = { after: 0, speed: 2.5 };

const TYPING = 'This page types an address with a typo…';

const find = (selector) => document.querySelector(selector);
const form = find('#sign-up');
const input = find('#email');
const play = find('#play');
const told = find('#told');
const chips = find('#chips');
const mistyped = chips.querySelector('button').value;
const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** What is being typed, or will be in a moment. */
let typing;

function tell([tone, text]) {
  told.className = `outcome ${tone}`;
  told.textContent = text;
}

function showPlay() {
  play.textContent = typing ? 'Stop' : 'Play again';
}

function halt() {
  typing?.stop();
  typing = undefined;
  showPlay();
}

function verify() {
  typing = undefined;
  showPlay();
  // The service may need seconds.
  tell(['', '']);
  window.emailVerify('verify', input);
}

function begin(address, pace) {
  halt();
  if (lessMotion.matches) {
    put(input, address);
    verify();
    return;
  }
  typing = type(input, address, pace, verify);
  showPlay();
}

/** The whole scene: the visitor does the rest. */
function beginScene(pace) {
  begin(mistyped, pace);
  if (typing) tell(['', TYPING]);
}

/** The form is the visitor's from now on. Half an address would stand in the way. */
function handOver() {
  if (!typing) return;
  halt();
  put(input, '');
  tell(['', 'The typing has stopped. Type an address of your own.']);
}

input.addEventListener('input', () => {
  if (told.textContent !== TYPING || !typing) tell(['', '']);
});
input.addEventListener('verified', ({ detail }) => tell(describeVerified(detail)));
input.addEventListener('error', ({ detail }) => tell(describeError(detail)));

for (const event of ['pointerdown', 'focusin', 'keydown']) form.addEventListener(event, handOver);

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = `The form was submitted with ${input.value}. This demo sends it nowhere.`;
  tell(['accepted', text]);
  find('#sent').textContent = text;
});

chips.addEventListener('click', ({ target }) => {
  if (!target.value) return;
  tell(['', '']);
  begin(target.value, AT_A_PRESS);
});

play.addEventListener('click', () => {
  if (typing) handOver();
  else beginScene({ ...BY_ITSELF, after: 0 });
});

// In a tab that nobody sees, timers run slowly.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) typing?.finish();
});

/** Once, as soon as the form is seen, unless the visitor was there first. */
function beginWhenSeen() {
  const sight = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      if (!typing && !input.value && !form.contains(document.activeElement)) beginScene(BY_ITSELF);
    },
    // Not 1: a fraction of a pixel may be outside.
    { threshold: 0.9 },
  );
  sight.observe(input);
}

if (window.emailVerify) {
  play.hidden = false;
  chips.hidden = false;
  beginWhenSeen();
} else tell(['error', 'The widget could not be loaded. Reload the page.']);
