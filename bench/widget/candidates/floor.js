/** The minimal script that verifies an address: a listener, a delay, a request. Written by hand, for the comparison. */
(() => {
  const DELAY_MS = 500;
  const timers = new WeakMap();

  async function check(input) {
    const query = new URLSearchParams({ email: input.value, api_key: 'test_public_bench' });
    const response = await fetch(`https://api.test/v1/verify?${query}`);
    const { state } = await response.json();
    input.dataset.state = state;
    input.dispatchEvent(new Event('checked', { bubbles: true }));
  }

  addEventListener('input', ({ target }) => {
    if (target.type !== 'email') return;
    clearTimeout(timers.get(target));
    timers.set(
      target,
      setTimeout(() => check(target), DELAY_MS),
    );
  });
})();
