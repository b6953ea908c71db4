/**
 * A PNG made smaller: pictures of pages have few colours, of which a pixel can name one by its number. Reads what
 * Chromium writes (8 bits a channel, not interlaced), and writes a palette. Where there are more than 256 colours,
 * the rarest become what is nearest of the others. Layout and filters: https://www.w3.org/TR/png-3/
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = 8;
const CHANNELS = { 2: 3, 6: 4 };
const PALETTE = 3;
const MOST_COLORS = 256;

/** @param {Buffer} png */
export function asPalette(png) {
  const chunks = readChunks(png);
  const header = Buffer.from(chunks.find(({ type }) => type === 'IHDR').data);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = CHANNELS[header[9]];
  if (!channels || header[8] !== 8 || header[12] !== 0) return png;
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const pixels = unfilter(inflateSync(data), width, height, channels);

  const colors = Array.from({ length: width * height }, (_, at) => [
    ...pixels.subarray(at * channels, at * channels + 3),
  ]);
  const palette = choose(colors);
  const numbers = new Map();
  const lines = Buffer.alloc((width + 1) * height);
  for (const [at, color] of colors.entries()) {
    const key = String(color);
    if (!numbers.has(key)) numbers.set(key, nearest(palette, color));
    // Each line begins with its filter: none, which is best for numbers that mean nothing.
    lines[at + Math.floor(at / width) + 1] = numbers.get(key);
  }
  header[9] = PALETTE;
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** @returns the colours that are there most often */
function choose(colors) {
  const counts = new Map();
  for (const color of colors.map(String)) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one);
  return byCount.slice(0, MOST_COLORS).map(([color]) => color.split(',').map(Number));
}

/** @returns where in the palette the colour is, or what comes nearest to it */
function nearest(palette, color) {
  const distances = palette.map((other) => Math.hypot(...other.map((value, at) => value - color[at])));
  return distances.indexOf(Math.min(...distances));
}

function readChunks(png) {
  const chunks = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}

/** Takes back what each line's filter has done. */
function unfilter(data, width, height, channels) {
  const length = width * channels;
  const pixels = Buffer.alloc(length * height);
  for (let line = 0; line < height; line += 1) {
    const filter = data[line * (length + 1)];
    for (let at = 0; at < length; at += 1) {
      const here = line * length + at;
      const left = at < channels ? 0 : pixels[here - channels];
      const up = line === 0 ? 0 : pixels[here - length];
      const corner = at < channels || line === 0 ? 0 : pixels[here - length - channels];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      pixels[here] = data[line * (length + 1) + 1 + at] + guess;
    }
  }
  return pixels;
}

/** Whichever of the three is nearest to left + up − corner. */
function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
