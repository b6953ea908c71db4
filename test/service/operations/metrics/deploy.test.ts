/** The alert rules, the dashboard and docs/operations.md against what the service really returns. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../../src/service/operations/metrics/metrics.ts';
import { BLOCKS } from '../../../docs/blocks.ts';
import { testDatabase } from '../../support/database.ts';
import type { Sample } from './scrape.ts';
import { runScript } from './scripted-run.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string; readonly thresholds?: object } };
}

const { groups } = parse(readFileSync('deploy/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
const RULES = groups.flatMap(({ rules }) => rules);
const DASHBOARD = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as { panels: Panel[] };
const PANELS = DASHBOARD.panels.filter(({ type }) => type !== 'row');
const PAGE = readFileSync('docs/operations.md', 'utf8');
const METRICS = createMetrics({ role: 'all', version: '0' }).describe();
const DESCRIBED = METRICS.filter(({ name }) => name.startsWith('evw_'));

/** As Prometheus adds them to each figure. */
const LABELS_OF_SCRAPES = ['instance', 'job'];
/** What is in a rule or a panel, with the labels that it asks for. */
const asked = (text: string) =>
  [...text.matchAll(/\b((?:evw|nodejs|process)_\w+)\b(?:\{([^}]*)\})?/g)].map(([, name, inner = '']) => ({
    name: name!,
    labels: [...inner.matchAll(/(\w+)(=~|=|!=|!~)"([^"]*)"/g)].map(([, label, how, value]) => ({
      label: label!,
      value: value!,
      isExact: how === '=' || (how === '=~' && /^[\w|]+$/.test(value!)),
    })),
  }));
const EXPRESSIONS = [
  ...RULES.map(({ alert, expr }) => [alert, expr] as const),
  ...PANELS.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];
/** The values of these labels are there from the beginning. */
const COMPLETE =
  /^evw_(queue_addresses|queue_wait|callbacks|callback_tries|notice_tries|payments|payment_wait|processes|credits|verifications_held)/;

const database = await testDatabase();
/** The figures of the three roles. */
let samples: Sample[];
beforeAll(() => expect(RULES.length).toBeGreaterThan(10));

it('ask for figures and labels that the three roles return after a scripted run', async () => {
  const { all, web, worker } = await runScript(database);
  const read = await Promise.all([all, web, worker].map(({ figures }) => figures()));
  samples = read.flatMap((one) => one.samples);
  const there = new Set(samples.map(({ name }) => name));
  for (const [place, expression] of EXPRESSIONS) {
    const names = asked(expression);
    if (place !== 'EmailVerifyDown') expect(names, place).not.toEqual([]);
    for (const { name, labels } of names) {
      expect([place, name, there.has(name)]).toEqual([place, name, true]);
      const known = samples.filter((sample) => sample.name === name);
      for (const { label, value, isExact } of labels) {
        if (LABELS_OF_SCRAPES.includes(label)) continue;
        const values = new Set(known.map((sample) => sample.labels[label]));
        expect([place, name, label, values.has(undefined)]).toEqual([place, name, label, false]);
        if (!isExact || !COMPLETE.test(name)) continue;
        for (const each of value.split('|')) expect([...values], `${place}: ${name}`).toContain(each);
      }
    }
  }
  // The panels leave no figure out.
  const named = EXPRESSIONS.flatMap(([, expression]) => asked(expression));
  const shown = named.map(({ name }) => name.replace(/_(bucket|count|sum)$/, ''));
  expect(DESCRIBED.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([]);
});

it('have no label that Prometheus gives to each figure', () => {
  const taken = DESCRIBED.filter(({ labels }) => labels.some((label) => LABELS_OF_SCRAPES.includes(label)));
  expect(taken).toEqual([]);
});

describe('the alert rules', () => {
  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s is whole', (_, rule) => {
    expect(['alert', 'expr', 'for', 'labels', 'annotations']).toEqual(
      expect.arrayContaining(Object.keys(rule)),
    );
    if (rule.for !== undefined) expect(rule.for).toMatch(/^\d+[smh]$/);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/^[A-Z0-9].*\.$/);
    const [file, section] = rule.annotations.runbook.split('#');
    expect(file).toBe('docs/operations.md');
    const sections = [...PAGE.matchAll(/^### (.+)$/gm)].map(([, title]) =>
      title!.toLowerCase().replace(/ /g, '-'),
    );
    expect(sections).toContain(section);
    // The table of symptoms leads there as well.
    expect(PAGE).toMatch(new RegExp(`^\\| .*\`${rule.alert}\`.*\\(#${section}\\) \\|$`, 'm'));
  });

  it('have names of their own', () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
  });
});

describe('the dashboard', () => {
  it.each(PANELS.map((panel) => [panel.title, panel] as const))(
    '%s has a unit and thresholds',
    (_, panel) => {
      expect(panel.fieldConfig?.defaults.unit).toMatch(/^(none|reqps|ops|s|bytes|percentunit)$/);
      expect(panel.fieldConfig?.defaults.thresholds).toHaveProperty('steps');
      expect(panel.targets?.length).toBeGreaterThan(0);
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
    },
  );
});

describe('docs/operations.md', () => {
  it('lists every figure as the code describes it', () => {
    const rows = DESCRIBED.map(
      ({ name, help, labels }) =>
        `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |`,
    );
    const [, table] = /<!-- metrics -->\n(.*?)<!-- \/metrics -->/s.exec(PAGE) ?? [];
    expect(table).toBe(`\n| metric | labels | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`);
  });

  it('shows a config of Prometheus that loads the rules', () => {
    const ofPage = BLOCKS.filter(({ file }) => file === 'docs/operations.md');
    const [block, ...others] = ofPage.filter(({ language }) => language === 'yaml');
    expect(others).toEqual([]);
    const config = parse(block!.code) as { scrape_configs: { job_name: string }[]; rule_files: string[] };
    // The rule for a process that is down names the job.
    expect(RULES[0]!.expr).toContain(`job="${config.scrape_configs[0]!.job_name}"`);
    expect(config.rule_files).toEqual(['alerts.yml']);
  });

  it('names events of the log that there are', () => {
    const events = [
      'housekeeping failed',
      'heartbeat failed',
      'sample batches failed',
      'batches not claimed',
    ];
    const ofBatches = ['batch/live/batch-worker', 'batch/callbacks/batch-callbacks'];
    const files = ['app/housekeeping', 'jobs/process-lease', 'app/background', ...ofBatches];
    const sources = files.map((file) => readFileSync(`src/service/${file}.ts`, 'utf8')).join();
    for (const event of [...events, 'callbacks not claimed', 'payments not claimed']) {
      expect(sources).toContain(`'${event}'`);
      expect(PAGE).toContain(`\`${event}\``);
    }
  });
});
