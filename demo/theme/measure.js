/** What colours there are in a frame of fields, as they are computed, and how they stand out from each other. */
import { contrastRatio } from './contrast.js';

const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

/** Paints colours over each other, the last on top: whatever CSS calls a colour becomes red, green and blue in sRGB. */
export function paint(colors) {
  pen.clearRect(0, 0, 1, 1);
  for (const color of colors) {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
  }
  return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

export const hexOf = (color) => `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;

/** Where each colour is seen: the specimen, its placement, the part, and the property that has it. */
const SEEN_AT = {
  color: ['rejected', 'floating', 'message', 'color'],
  background: ['rejected', 'floating', 'status', 'backgroundColor'],
  'border-color': ['verifying', 'floating', 'status', 'borderBlockEndColor'],
  'rejected-color': ['rejected', 'floating', 'status', 'borderInlineStartColor'],
  'hint-color': ['hint-role', 'floating', 'status', 'borderInlineStartColor'],
  'suggestion-color': ['suggestion-accepted', 'floating', 'suggestion', 'color'],
  'spinner-color': ['verifying', 'floating', 'spinner', 'borderBlockStartColor'],
};

const TEXT = 4.5;
const SHAPE = 3;

/**
 * What has to stand out from what is behind it. Texts by WCAG 2.2, 1.4.3; the edges, which tell a rejection from a
 * hint, by 1.4.11. The border and the spinner say nothing that the text beside them does not, and need no minimum.
 */
export const PAIRS = [
  { title: 'Message, floating', least: TEXT, at: SEEN_AT.color },
  { title: 'Message, in the flow', least: TEXT, at: ['hint-role', 'flowing', 'message', 'color'] },
  { title: 'Suggestion, floating', least: TEXT, at: SEEN_AT['suggestion-color'] },
  {
    title: 'Suggestion, in the flow',
    least: TEXT,
    at: ['suggestion-accepted', 'flowing', 'suggestion', 'color'],
  },
  { title: 'Edge of a rejection', least: SHAPE, at: SEEN_AT['rejected-color'] },
  { title: 'Edge of a hint', least: SHAPE, at: SEEN_AT['hint-color'] },
  { title: 'Border', at: SEEN_AT['border-color'] },
  { title: 'Spinner', at: SEEN_AT['spinner-color'] },
];

/** A part of a specimen's status. @returns `undefined` as long as there is none */
export function findPart(page, specimen, placement, part) {
  const status = page.getElementById(
    page.getElementById(`${specimen}-${placement}`)?.getAttribute('aria-describedby'),
  );
  return status?.shadowRoot.querySelector(`[part=${part}]`) ?? undefined;
}

/** @returns the ratio, and both colours in sRGB; `undefined` where nothing can be measured, as over a picture */
export function measure(page, { at: [specimen, placement, part, property] }) {
  const element = findPart(page, specimen, placement, part);
  const behind = element && backgroundsOf(element);
  if (!behind) return undefined;
  const front = paint([...behind, getComputedStyle(element)[property]]);
  const back = paint(behind);
  return { ratio: contrastRatio(front, back), front, back };
}

/** @returns the colour that a custom property comes to, as `#rrggbb` */
export function colorOf(page, name) {
  const found = measure(page, { at: SEEN_AT[name] });
  return found && hexOf(found.front);
}

/** From the window's own to the nearest. */
function backgroundsOf(element) {
  const backgrounds = [];
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
    const { backgroundColor, backgroundImage } = getComputedStyle(at);
    if (backgroundImage !== 'none') return undefined;
    backgrounds.unshift(backgroundColor);
  }
  return ['Canvas', ...backgrounds];
}
