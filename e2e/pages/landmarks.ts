/** The landmarks of a page, by which people with a screen reader find their way. */
import type { Page } from '@playwright/test';

/** @returns the roles and names that several visible landmarks share */
export const sharedLandmarksOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const landmarks = document.querySelectorAll<HTMLElement>(
      'nav, aside, section:is([aria-label], [aria-labelledby]), form:is([aria-label], [role]), [role=region], [role=search]',
    );
    const names = [...landmarks]
      .filter((landmark) => landmark.checkVisibility({ visibilityProperty: true }))
      .map((landmark) => {
        const titled = document.getElementById(landmark.getAttribute('aria-labelledby') ?? '');
        const name = landmark.getAttribute('aria-label') ?? titled?.textContent ?? '';
        const role =
          landmark.getAttribute('role') ?? (landmark.localName === 'section' ? 'region' : landmark.localName);
        return `${role}: ${name.trim()}`;
      });
    return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  });
