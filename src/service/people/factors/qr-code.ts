/** A text as a QR code, for the camera of a phone. */
import { type Html, html } from '../../pages/html.ts';

/** Around the code, in modules (ISO/IEC 18004, section 9.1). */
const QUIET = 4;

/** @param label what it is, for people who do not see it @returns an SVG that scales */
export async function qrCode(text: string, label: string): Promise<Html> {
  // Few requests need it.
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { ecc: 'M', border: QUIET });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path.join('')}" fill="#000"/></svg>`;
}
