/** What is too small to be pressed (WCAG 2.2, 2.5.8: links within a sentence may be). */
import { type CDPSession, expect, type Frame, type Page } from '@playwright/test';
import { engineOf } from '../engines/differences.ts';

/** The least width of every target, in pixels. */
const LEAST_WIDTH = 24;

/** @returns each visible target that is smaller, with its size */
export const smallTargetsOf = (page: Page | Frame, leastHeight: number): Promise<string[]> =>
  page.evaluate(
    ([leastHeight = 0, leastWidth = 0]) => {
      const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
      const targets = [document, ...roots].flatMap((root) => [
        ...root.querySelectorAll<HTMLElement>(
          'a[href], button, input:not([type=hidden]), select, textarea, summary',
        ),
      ]);
      /** A box and its label are one target. */
      const boxesOf = (target: HTMLElement): DOMRect[] => {
        const labels = target instanceof HTMLInputElement ? [...(target.labels ?? [])] : [];
        return [target, ...labels].map((one) => one.getBoundingClientRect());
      };
      const isInSentence = (target: HTMLElement): boolean => {
        if (target.localName !== 'a' || getComputedStyle(target).display !== 'inline') return false;
        let around = target.parentElement;
        while (around && getComputedStyle(around).display.startsWith('inline')) around = around.parentElement;
        return (around?.textContent ?? '').trim().length > target.textContent!.trim().length;
      };
      return targets
        .filter((target) => target.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((target) => !target.matches('.skip, .unseen') && !isInSentence(target))
        .flatMap((target) => {
          const boxes = boxesOf(target);
          const height = Math.max(...boxes.map((box) => box.height));
          const width = Math.max(...boxes.map((box) => box.width));
          // Half a pixel is lost when a page is laid out.
          if (height + 0.5 >= leastHeight && width + 0.5 >= leastWidth) return [];
          return [`${target.outerHTML.slice(0, 120)}: ${Math.round(width)} × ${Math.round(height)}`];
        });
    },
    [leastHeight, LEAST_WIDTH],
  );

/** The least height of every target, in pixels: of a mouse, and of a finger. */
const LEAST_HEIGHTS = { mouse: 24, finger: 44 };

/** Expects that everything can be pressed by a mouse, and in Chromium also by a finger. */
export async function expectTargets(page: Page, frames: readonly (Page | Frame)[] = [page]): Promise<void> {
  for (const frame of frames) expect(await smallTargetsOf(frame, LEAST_HEIGHTS.mouse), 'mouse').toEqual([]);
  if (engineOf(page) !== 'chromium') return;
  const protocol = protocols.get(page) ?? (await page.context().newCDPSession(page));
  protocols.set(page, protocol);
  await protocol.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.waitForFunction(() => matchMedia('(pointer: coarse)').matches);
  for (const frame of frames) expect(await smallTargetsOf(frame, LEAST_HEIGHTS.finger), 'finger').toEqual([]);
  await protocol.send('Emulation.setTouchEmulationEnabled', { enabled: false });
}

/** The session of each page lasts as long as the page: when one ends, Chromium takes away the passkeys of all. */
const protocols = new WeakMap<Page, CDPSession>();
