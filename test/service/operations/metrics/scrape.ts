/** Reads figures as Prometheus does. */
import { vi } from 'vitest';
import { PATIENTLY } from '../../support/patience.ts';
import type { ServiceProcess } from '../../support/service-process.ts';

/** A figure with its labels. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The text form of Prometheus, version 0.0.4. */
export function parseText(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, inner = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Expected a figure, got ${line}`);
      const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return {
        name,
        labels: Object.fromEntries(labels),
        value: value === 'Nan' ? Number.NaN : Number(value),
      };
    });
}

/** The value of the figure with at least these labels. Undefined if there is none. */
export function figureOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  return samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
}

export async function scrape(url: string): Promise<{ text: string; samples: Sample[] }> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return { text, samples: parseText(text) };
}

/** Where a process serves its figures, by its log. The line may come later than the one that it listens. */
export function metricsUrlOf({ errors }: Pick<ServiceProcess, 'errors'>): Promise<string> {
  return vi.waitFor(() => {
    const line = errors()
      .split('\n')
      .find((text) => text.includes('"event":"metrics"'));
    if (!line) throw new Error(`Expected the line of metrics, got ${errors()}`);
    return (JSON.parse(line) as { address: string }).address;
  }, PATIENTLY);
}
