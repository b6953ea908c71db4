/** The code from mailcheck's README, without jQuery and once for all inputs. */
document.addEventListener('focusout', ({ target }) => {
  if (target.type !== 'email') return;
  Mailcheck.run({
    email: target.value,
    suggested: ({ full }) => {
      target.dataset.suggestion = full;
    },
    empty: () => {
      delete target.dataset.suggestion;
    },
  });
});
