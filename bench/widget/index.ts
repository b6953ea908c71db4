/** The widget's figures, each in its own file. */
import { findEngines } from '../../e2e/engines/engines.mjs';
import { isWanted } from '../only.ts';
import type { Figure, Part } from '../report.ts';
import { type Lab, openLab } from './lab.ts';
import { answer } from './measures/answer.ts';
import { calm } from './measures/calm.ts';
import { connection } from './measures/connection.ts';
import { delay } from './measures/delay.ts';
import { insertion } from './measures/insertion.ts';
import { install } from './measures/install.ts';
import { keystroke } from './measures/keystroke.ts';
import { memory } from './measures/memory.ts';
import { requests } from './measures/requests.ts';
import { rest } from './measures/rest.ts';
import { size } from './measures/size.ts';

/** In the order of the report, by the names that `--only` knows. */
export const FIGURES: Readonly<Record<string, (lab: Lab) => Promise<Figure>>> = {
  size,
  install,
  keystroke,
  insertion,
  answer,
  delay,
  requests,
  connection,
  calm,
  rest,
  memory,
};

export function browserVersion(): string | undefined {
  const { shell, chromium } = findEngines();
  return (shell ?? chromium)?.version;
}

export async function measureWidget(isQuick: boolean, only: string | undefined): Promise<Part> {
  const wanted = Object.entries(FIGURES).filter(([name]) => isWanted(name, only));
  const lab = await openLab(isQuick);
  const figures: Figure[] = [];
  try {
    for (const [name, measure] of wanted) {
      const began = Date.now();
      figures.push(await measure(lab));
      console.error(`${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
  } finally {
    await lab.close();
  }
  return { title: 'The widget', figures };
}
