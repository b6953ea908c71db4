/**
 * Shows one placement at a time in a narrow window, where two fields for each state would make the page twice as long:
 * "Both" becomes "Floating" until the window is wide again. The visitor's own choice stays as view.js keeps it.
 */
const NARROW = matchMedia('(max-width: 40rem)');

const { documentElement: root } = document;
const radios = document.querySelectorAll('[data-chooses="placement"]');
let isNarrowed = false;

function adapt() {
  if (NARROW.matches && root.dataset.placement === '') {
    isNarrowed = true;
    choose('floating');
  } else if (!NARROW.matches && isNarrowed) {
    isNarrowed = false;
    choose('');
  }
}

function choose(placement) {
  root.dataset.placement = placement;
  for (const radio of radios) radio.checked = radio.value === placement;
}

for (const radio of radios) {
  radio.addEventListener('change', () => {
    isNarrowed = false;
  });
}
NARROW.addEventListener('change', adapt);
// Any other switch of the page sets all attributes anew.
new MutationObserver(adapt).observe(root, { attributeFilter: ['data-placement'] });
adapt();
