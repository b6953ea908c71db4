/** Measures the size of what a visitor loads. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bytes, type Figure, times } from '../../report.ts';
import { CANDIDATES, COMPARED } from '../candidates/index.ts';

const TARGET = 8_192;
const FACE_TARGET = 3_300;

const brotli = (text: string) => brotliCompressSync(text).length;

export async function size(): Promise<Figure> {
  const { script, later } = CANDIDATES.widget;
  const own = brotli(script);
  const [face = ''] = Object.values(later ?? {});
  const budget = enforcedBudget();
  return {
    title: 'Size of the script',
    how: 'The file that a page loads, minified, and compressed like on a server. The widget loads its face when a visitor first uses an input. auto-check-element is bundled and minified by this benchmark. mailcheck and the floor need more code to show a message.',
    head: ['', 'minified', 'gzip -9', 'brotli', '÷ the widget'],
    rows: [
      ...COMPARED.map((candidate) => [candidate.title, candidate.script] as const),
      ['the widget’s face', face] as const,
    ].map(([title, text]) => [
      title,
      bytes(text.length),
      bytes(gzipSync(text, { level: 9 }).length),
      bytes(brotli(text)),
      times({ median: brotli(text) / own }),
    ]),
    targets: [
      {
        text: `at most ${bytes(TARGET)} with brotli`,
        found: bytes(own),
        isMet: own <= TARGET,
        because: `these files take the most: ${await largestParts()}`,
      },
      {
        text: `the face at most ${bytes(FACE_TARGET)} with brotli`,
        found: bytes(brotli(face)),
        isMet: brotli(face) <= FACE_TARGET,
      },
      {
        text: 'budget enforced by the build',
        found: `the build fails above ${bytes(budget)}`,
        isMet: budget <= TARGET,
        because: `the build's budget is ${bytes(budget - TARGET)} above the target`,
      },
    ],
  };
}

function enforcedBudget(): number {
  const [, digits = ''] = /WIDGET_BUDGET = ([\d_]+)/.exec(readFileSync('src/build/sizes.mjs', 'utf8')) ?? [];
  return Number(digits.replaceAll('_', ''));
}

/** The sources of the script's bytes, the largest first. */
async function largestParts(): Promise<string> {
  const { metafile } = await build({
    entryPoints: ['src/widget/main.ts'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    loader: { '.css': 'text' },
  });
  const [output] = Object.values(metafile.outputs);
  const parts = Object.entries(output!.inputs)
    .map(
      ([path, { bytesInOutput }]) =>
        [path.replace('src/widget/', ''), bytesInOutput / output!.bytes] as const,
    )
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5);
  return parts.map(([path, share]) => `${path} has ${Math.round(share * 100)} %`).join(', ');
}
