/** How well a colour stands out from another, as WCAG 2 counts it. Arithmetic only. */

/** Of one channel, from 0 to 255: how much light it gives, from 0 to 1 (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
function lightOf(channel) {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** @param {readonly number[]} color red, green and blue, 0 to 255 each, in sRGB */
export function luminance([red, green, blue]) {
  return 0.2126 * lightOf(red) + 0.7152 * lightOf(green) + 0.0722 * lightOf(blue);
}

/** @returns from 1 (none) to 21 (black and white), whichever of the two is the darker */
export function contrastRatio(one, other) {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Cut, not rounded: what is below its minimum must not look as if it were not. */
export function formatRatio(ratio) {
  return `${(Math.floor(ratio * 100) / 100).toFixed(2).replace(/\.?0+$/, '')}:1`;
}
