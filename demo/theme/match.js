/** Makes a theme of an input: its radius, border, font and colours, as the browser computes them in light and in dark. */
import { contrastRatio } from './contrast.js';
import { hexOf, paint } from './measure.js';

const TEXT = 4.5;
/** The edge that tells a rejection from a hint is this much wider than the border. */
const EDGE_PX = 2;
/** More would bend the edge of a status in the flow. */
const MOST_RADIUS_PX = 8;

/**
 * @param {{ light: Document, dark: Document }} pages one in light, the other in dark
 * @param {string} declarations of the input
 * @returns {Record<string, string>} settings by name
 */
export function settingsOfInput(pages, declarations) {
  const settings = {};
  for (const [scheme, page] of Object.entries(pages)) {
    const look = lookOf(page, declarations);
    settings[`color.${scheme}`] = look.color;
    settings[`background.${scheme}`] = look.background;
    settings[`border-color.${scheme}`] = look.borderColor;
    Object.assign(settings, look.shape);
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value));
}

function lookOf(page, declarations) {
  const probe = page.createElement('input');
  // The page's own rules for inputs are not the author's.
  probe.style.cssText = `all: revert; ${declarations}`;
  probe.style.setProperty('transition', 'none', 'important');
  page.body.append(probe);
  const style = getComputedStyle(probe);
  const look = {
    ...colorsOf(style, getComputedStyle(page.body).backgroundColor),
    shape: shapeOf(style, probe.style),
  };
  probe.remove();
  return look;
}

/** Those of the page itself for an input that stays light on a dark page: in the flow, its text could not be read. */
const OF_THE_PAGE = { color: 'CanvasText', background: 'Canvas', borderColor: 'GrayText' };

function colorsOf(style, pageColor) {
  const behind = [pageColor, style.backgroundColor];
  const background = paint(behind);
  const color = readable(paint([...behind, style.color]), background);
  if (contrastRatio(color, paint([pageColor])) < TEXT) return OF_THE_PAGE;
  return {
    color: hexOf(color),
    background: hexOf(background),
    borderColor: hasBorder(style) ? hexOf(paint([...behind, style.borderBlockEndColor])) : '',
  };
}

const pixels = (length) => Number.parseFloat(length) || 0;
// An underlined field has a border at the end only.
const hasBorder = (style) => pixels(style.borderBlockEndWidth) > 0;

function shapeOf(style, declared) {
  const radius = Math.min(pixels(style.borderStartStartRadius), MOST_RADIUS_PX);
  const width = hasBorder(style) ? pixels(style.borderBlockEndWidth) : 0;
  const font = declared.fontFamily === 'revert' ? '' : style.fontFamily;
  return {
    'status.border-radius': `${radius}px`,
    'status.border-width': `${width}px`,
    'status.border-inline-start-width': `${width + EDGE_PX}px`,
    ...(font ? { 'message.*': `font-family: ${font}` } : {}),
  };
}

/** The colour itself, or else black or white: an input may be harder to read than a message is allowed to be. */
function readable(color, background) {
  const better = [
    [0, 0, 0],
    [255, 255, 255],
  ].sort((one, other) => contrastRatio(other, background) - contrastRatio(one, background));
  return contrastRatio(color, background) < TEXT ? better[0] : color;
}
