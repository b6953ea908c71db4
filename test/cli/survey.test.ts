/** The command `survey`, in the world of scripted mail servers. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareSurveys, readSurvey } from '../../src/cli/commands/survey/compare-surveys.ts';
import { readMailboxes } from '../../src/cli/commands/survey/read-mailboxes.ts';
import { type Row, runSurvey, type Said } from '../../src/cli/commands/survey/run-survey.ts';
import { showSurvey } from '../../src/cli/commands/survey/show-survey.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { impossibleLocalPart } from '../../src/engine/smtp/impossible.ts';
import { HELD_BACK } from '../../src/engine/verdict.ts';
import type { EvidenceStep, VerificationRequest } from '../../src/engine/verifier.ts';
import type { VerificationResult } from '../../src/protocol/result.ts';
import { stopClockInFile } from '../engine/world/clock.ts';
import { expectOrder } from '../engine/world/engine.ts';
import { MAILBOXES_OF_SURVEY, namesOf, SERVERS } from '../engine/world/sights.ts';
import { startWorld, type World } from '../engine/world/world.ts';

const clock = stopClockInFile();
let world: World;
beforeAll(async () => {
  world = await startWorld(SERVERS);
  for (const [name, entry] of Object.entries(namesOf((domain) => world.server(domain).ip)))
    world.dns.set(name, entry);
});
afterAll(() => world.close());

it('reads the example of docs/engine.md', () => {
  const [, example = ''] = /```text\n(.*?)```/s.exec(readFileSync('docs/engine.md', 'utf8')) ?? [];
  expect(readMailboxes(example)).toHaveLength(2);
});

async function run(files: Readonly<Record<string, string>>, ...flags: string[]) {
  const warnings: string[] = [];
  const live = { ...world.live, greylistRetries: [2, 4] };
  const all = {
    'service.json': JSON.stringify({ live }),
    'mailboxes.txt': 'ada@accepted.world.test',
    ...files,
  };
  const outcome = await clock.run(
    runCommandLine(['--config', 'service.json', 'survey', '--mailboxes', 'mailboxes.txt', ...flags], {
      environment: {},
      readFile: (path) => all[path as keyof typeof all],
      warn: (line) => void warnings.push(line),
    }),
  );
  return { ...outcome, warnings };
}

describe('in the world', () => {
  let rows: Map<string, Row>;
  let warnings: readonly string[];
  const rowOf = (domain: string) => rows.get(`${domain}.world.test`)!;

  beforeAll(async () => {
    const found = await run({ 'mailboxes.txt': MAILBOXES_OF_SURVEY.join('\n') }, '--json');
    expect([found.exitCode, found.error]).toEqual([0, '']);
    const { providers } = JSON.parse(found.output) as { providers: Row[] };
    rows = new Map(providers.map((row) => [row.domain, row]));
    warnings = found.warnings;
  });

  it('has a row for each domain', () => {
    expect(rows.size).toBe(MAILBOXES_OF_SURVEY.length);
    expect(rowOf('accepted')).toEqual({
      ...{ domain: 'accepted.world.test', provider: 'accepted.test', mail_server: 'mx.accepted.test' },
      known: { outcome: 'accepted', code: 250, reply: '2.1.5 OK' },
      unknown: {
        outcome: 'there is no such mailbox',
        code: 550,
        reply: expect.stringMatching(/^5\.1\.1 .*Recipient address rejected: User unknown$/),
      },
      ...{ full: null, accept_all: false, greylist: false, starttls: true },
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
  });

  it.each<[string, Partial<Record<keyof Row, unknown>>]>([
    ['free', { accept_all: false, greylist: false, starttls: false }],
    ['accept-all', { accept_all: true, greylist: false }],
    ['late-truth', { accept_all: true, greylist: false }],
    ['yahoo', { accept_all: true, provider: 'yahoo' }],
    ['greylisted', { accept_all: true, greylist: true }],
    ['greylisted-names', { accept_all: false, greylist: true }],
    ['busy', { accept_all: null, greylist: null }],
    ['blocked', { accept_all: null }],
    ['late-refusal', { accept_all: null }],
    ['unwelcome', { accept_all: null, greylist: null, starttls: null }],
  ])('finds how %s behaves', (domain, behaviour) => {
    expect(rowOf(domain)).toMatchObject(behaviour);
  });

  it.each([
    ['full', 452, null],
    ['full-552', 552, false],
  ])('finds the full mailbox of %s', (domain, code, accept_all) => {
    const full = { outcome: 'the mailbox is full', code };
    expect(rowOf(domain)).toMatchObject({ known: null, full, accept_all });
  });

  it.each([
    ['unsaid', 'the refusal does not say why', 550],
    ['sender-refused', 'the server refused the sender', null],
    ['closing', 'the server closed the connection', null],
    ['silent', 'the server did not answer in time', null],
    ['mute', 'no mail server could be reached', null],
    ['not-smtp', 'the server speaks no SMTP', null],
    ['flooding', 'the server sent too much', null],
  ])('says why %s tells nothing', (domain, outcome, code) => {
    expect(rowOf(domain)).toMatchObject({ known: { outcome, code }, accept_all: null });
  });

  it('says that it waits for greylisting, and asks only those again', () => {
    expect(warnings[0]).toBe(
      `3 of ${MAILBOXES_OF_SURVEY.length} domains will be asked again in 2 s, because answers may change.`,
    );
    expect(warnings.length).toBe(2);
    const asked = world
      .server('accepted.test')
      .lines()
      .filter((line) => line.startsWith('RCPT'));
    expect(asked).toHaveLength(2);
  });

  it('sends no mail, one command at a time, to few connections', async () => {
    for (const server of world.servers.values()) {
      await clock.run(server.whenEmpty());
      expectOrder(server);
      expect(server.maxParallel).toBeLessThanOrEqual(2);
    }
  });

  it('shows no address', () => {
    const text = JSON.stringify([...rows.values()]);
    expect(text).not.toContain('@');
    for (const domain of rows.keys()) expect(text).not.toContain(impossibleLocalPart(domain));
  });
});

it('prints a table, the replies and the changes', async () => {
  const before = await run({}, '--json');
  const mailboxes = { 'mailboxes.txt': 'ada@accepted.world.test\nada@free.world.test' };
  world.server('accepted.test').set({ catchAll: true });
  const { exitCode, output } = await run(
    { ...mailboxes, 'old.json': before.output },
    '--against',
    'old.json',
  );
  world.server('accepted.test').set(SERVERS['accepted.test']!);
  expect(exitCode).toBe(0);
  const [table = '', replies, changes] = output.split('\n\n');
  const [head, first] = table.split('\n').map((line) => line.split(/ {2,}/));
  expect(head!.join()).toBe('domain,provider,known name,unknown name,full,accept-all,greylist,STARTTLS,date');
  expect(first!.slice(0, -1)).toEqual([
    ...['accepted.world.test', 'accepted.test', 'accepted (250)', 'accepted (250)', '-', 'yes', 'no', 'no'],
  ]);
  expect(replies!.split('\n')[0]).toMatch(/^accepted\.world\.test {2}known {4}2\.1\.5 OK$/);
  expect(changes!.split('\n').slice(0, 4)).toEqual([
    'accepted.world.test  unknown: was there is no such mailbox (550), is accepted (250)',
    'accepted.world.test  accept_all: was no, is yes',
    'accepted.world.test  starttls: was yes, is no',
    'free.world.test  known: was not asked, is accepted (250)',
  ]);
});

const said = (outcome: string, code: number | null, reply: string | null = null): Said => ({
  ...{ outcome, code, reply },
});
const row = (more: Partial<Row> = {}): Row => ({
  ...{ domain: 'a.example', provider: 'a.example', mail_server: 'mx.a.example' },
  ...{ known: said('accepted', 250, '2.1.5 OK id=1'), unknown: said('there is no such mailbox', 550) },
  ...{ full: null, accept_all: false, greylist: false, starttls: true, date: '2026-11-01' },
  ...more,
});

it('finds no change in the text of a reply or in the date', () => {
  const later = row({ known: said('accepted', 250, '2.1.5 OK id=2'), date: '2026-11-26' });
  expect(compareSurveys([row()], [later])).toEqual([]);
  expect(showSurvey([later], [])).toMatch(/\nNothing has changed\.\n$/);
});

it('finds a domain that is asked no longer', () => {
  expect(compareSurveys([row()], [])).toContainEqual({
    ...{ domain: 'a.example', what: 'known', was: 'accepted (250)', is: null },
  });
});

it('shows no control character of a mail server', () => {
  expect(showSurvey([row({ known: said('accepted', 250, 'a\u001b[31m\nb') })], undefined)).not.toContain(
    '\u001b',
  );
});

describe('with scripted answers', () => {
  const rcpt = (code: number): EvidenceStep => ({
    ...{ atMs: 0, stage: 'rcpt', server: 'mx.a.example [192.0.2.1]' },
    ...{ code, text: `RCPT TO: "${code} said ada"` },
  });
  const greeting: EvidenceStep = { ...rcpt(250), stage: 'ehlo', text: 'EHLO: "mx"' };
  const verdict = (rule: string): EvidenceStep => ({ atMs: 0, stage: 'verdict', text: '', rule });
  /** @param answers of each name, in order: the known one, and the one that cannot exist */
  async function surveyOf(...answers: (readonly (readonly EvidenceStep[])[])[]) {
    const asked: string[] = [];
    const verifyWithin = async ({ address }: VerificationRequest) => {
      const name = address === 'ada@a.example' ? 0 : 1;
      const time = asked.filter((other) => other === address).length;
      asked.push(address);
      const result = { mx_record: 'mx.a.example' } as VerificationResult;
      return { result, evidence: answers[name]![time]! };
    };
    const domains = [{ domain: 'a.example', known: 'ada@a.example' }];
    const options = { engine: { verifyWithin }, retries: [1, 1], say: () => {} };
    const [found] = await clock.run(runSurvey(domains, options));
    return { row: found!, times: asked.length };
  }
  const accepted = [rcpt(250), verdict('accepted')];
  const refused = [rcpt(550), verdict('there is no such mailbox')];

  it('does not take a 421 for greylisting', async () => {
    const closed = [rcpt(421), verdict('the refusal is temporary')];
    const { row: found, times } = await surveyOf([closed, accepted], [refused]);
    expect(found).toMatchObject({ accept_all: false, greylist: false });
    expect(times).toBe(3);
  });

  it('does not take silence after a refusal for an answer', async () => {
    const greylisted = [rcpt(451), verdict('the refusal is temporary')];
    const silent = [verdict('the server did not answer in time')];
    const { row: found } = await surveyOf([greylisted, silent], [silent]);
    expect(found).toMatchObject({ accept_all: null, greylist: null, unknown: { code: null, reply: null } });
  });

  it('asks again about a name that was held back', async () => {
    const { row: found, times } = await surveyOf(
      [accepted],
      [[verdict(HELD_BACK)], [verdict(HELD_BACK)], refused],
    );
    expect([found.accept_all, times]).toEqual([false, 4]);
  });

  it('knows STARTTLS from any conversation with the server', async () => {
    const tls: EvidenceStep = { ...rcpt(220), stage: 'starttls' };
    expect((await surveyOf([accepted], [[greeting, tls, ...refused]])).row.starttls).toBe(true);
    expect((await surveyOf([accepted], [[greeting, ...refused]])).row.starttls).toBe(false);
    expect((await surveyOf([accepted], [refused])).row.starttls).toBeNull();
  });

  it('takes the name out of a reply', async () => {
    expect((await surveyOf([accepted], [refused])).row.known!.reply).toBe('250 said [address]');
  });

  it('does not call a server accept-all that refuses the other name for our sake, or all names', async () => {
    const blocked = [rcpt(550), verdict('the refusal is about the service, not the mailbox')];
    expect((await surveyOf([accepted], [blocked])).row.accept_all).toBeNull();
    expect((await surveyOf([refused], [refused])).row.accept_all).toBeNull();
    expect((await surveyOf([refused], [accepted])).row.accept_all).toBe(true);
  });
});

it('reads one mailbox of each kind at a domain', () => {
  expect(
    readMailboxes('\uFEFF# Mine\nada@Example.org\r\n\nbo@example.org , full\n"a,b"@b\u00fccher.example\n'),
  ).toEqual([
    { domain: 'example.org', known: 'ada@Example.org', full: 'bo@example.org' },
    { domain: 'xn--bcher-kva.example', known: '"a,b"@b\u00fccher.example' },
  ]);
});

it.each([
  ['', 'Expected a mailbox in --mailboxes, got none.'],
  ['ada@example.org\nada', 'in line 2 of --mailboxes, got "ada"'],
  ['ada@example.org,empty', 'Expected an address or "address,full" in line 1'],
  ['ada@example.org\nbo@EXAMPLE.org', 'Expected one such mailbox for each domain, got another in line 2'],
])('refuses the mailboxes %j with exit code 2', async (text, message) => {
  const { exitCode, error, output } = await run({ 'mailboxes.txt': text });
  expect([exitCode, output]).toEqual([2, '']);
  expect(error).toMatch(/^Expected .{1,290}\n$/);
  expect(error).toContain(message);
});

it.each(['', '[]', 'null', '{}', '{"providers":[1]}', '{"providers":[{"domain":"a","known":1}]}'])(
  'refuses %j as an earlier survey',
  (text) => {
    expect(() => readSurvey(text)).toThrow('Expected the JSON of an earlier survey in --against');
  },
);

it('refuses a config without live, and a file that is not there', async () => {
  const none = await run({ 'service.json': '{}' });
  expect([none.exitCode, none.error]).toEqual([2, expect.stringContaining('Expected "live"')]);
  const { exitCode, error } = await runCommandLine(['survey', '--mailboxes', '/does/not/exist'], {
    environment: {},
    readFile: () => {
      throw Object.assign(new Error(), { code: 'ENOENT' });
    },
  });
  expect([exitCode, error]).toEqual([2, expect.stringContaining('(ENOENT)')]);
});
