/** Tabs as the ARIA practices have them: one of them in the tab order, arrow keys between them. */

/**
 * @param {HTMLElement} tabList whose tabs name their panels by `aria-controls`
 * @param {(tab: HTMLElement) => void} [onSelect]
 */
export function createTabs(tabList, onSelect = () => {}) {
  const tabs = [...tabList.querySelectorAll('[role=tab]')];

  function select(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls'));
      panel.hidden = !isChosen;
      // It scrolls, and not every browser lets keys in by itself.
      panel.tabIndex = 0;
    }
    onSelect(chosen);
  }

  tabList.addEventListener('click', ({ target }) => {
    const tab = target.closest('[role=tab]');
    if (tab) select(tab);
  });
  tabList.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(document.activeElement);
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    const places = { Home: 0, End: tabs.length - 1 };
    const place = places[event.key] ?? (event.key in steps ? at + steps[event.key] : undefined);
    if (place === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs.at(place % tabs.length);
    select(next);
    next.focus();
  });
  select(tabs[0]);
}
