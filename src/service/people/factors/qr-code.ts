/** A text as a QR code, for the camera of a phone. */
import { type Html, html } from '../../pages/html.ts';

/** Around the code, in modules (ISO/IEC 18004, section 9.1). */
const QUIET = 4;

/** @param label what it is, for people who do not see it @returns an SVG that scales */
export async function qrCode(text: string, label: string): Promise<Html> {
  // Few requests need it.
  const { default: library } = await import('qrcode');
  const { size, data } = library.create(text, { errorCorrectionLevel: 'M' }).modules;
  const dark = [...data.keys()].filter((index) => data[index]);
  const path = dark.map((index) => `M${QUIET + (index % size)} ${QUIET + Math.floor(index / size)}h1v1h-1z`);
  const side = size + 2 * QUIET;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="#fff"/><path d="${path.join('')}" fill="#000"/></svg>`;
}
