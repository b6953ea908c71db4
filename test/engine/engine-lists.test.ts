/** Lists of mail servers, and the verdicts of the engine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../src/engine/facts/operator-lists.ts';
import { stopClockInFile } from './world/clock.ts';
import { type EngineInWorld, engineIn, told } from './world/engine.ts';
import { startWorld, type World } from './world/world.ts';

stopClockInFile();
const folder = mkdtempSync(join(tmpdir(), 'engine-lists-'));
let world: World;
let engine: EngineInWorld;
const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.txt`), text);

beforeAll(async () => {
  world = await startWorld(
    { 'trash.test': {}, 'abuse.test': {}, 'fine.test': {} },
    {
      'new.test': { MX: [[10, 'MX.trash.test']] },
      'allowed.test': { MX: [[10, 'mx.trash.test']] },
      'free.test': { MX: [[10, 'mx.trash.test']] },
      'bad.test': { MX: [[10, 'mx.abuse.test']] },
      'first-fine.test': {
        MX: [
          [20, 'mx.trash.test'],
          [10, 'mx.fine.test'],
          [30, 'mx.abuse.test'],
        ],
      },
      'first-trash.test': {
        MX: [
          [20, 'mx.fine.test'],
          [10, 'mx.trash.test'],
        ],
      },
      'both.test': {
        MX: [
          [10, 'mx.fine.test'],
          [10, 'mx.trash.test'],
        ],
      },
      'dead.test': {
        MX: [
          [10, 'dead.trash.test'],
          [20, 'mx.fine.test'],
        ],
      },
      'no-mx.test': { A: ['127.0.1.1'] },
      'packaged.test': { MX: [[10, 'mail.mailinator.com']] },
      'mail.mailinator.com': { A: ['127.0.1.1'] },
    },
  );
  write('disposable-mx', 'trash.test\nno-mx.test');
  write('block-mx', 'abuse.test');
  write('allow', 'allowed.test');
  write('free', 'free.test');
  const facts = createEngineFacts(loadPublishedLists(), folder);
  engine = engineIn(world, {}, { facts });
});
afterAll(async () => {
  await engine.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

it('calls an address disposable by its mail server, which the evidence names', async () => {
  const { result, evidence } = await engine.verify('ada@new.test');
  expect(result).toMatchObject({ state: 'risky', reason: 'low_quality', disposable: true, score: 20 });
  const message = 'The mail server mx.trash.test is one of disposable mailboxes (disposable-mx.txt).';
  expect(told(evidence)).toContain(message);
});

it('asks nobody at a blocked mail server, which the evidence names', async () => {
  const before = world.server('abuse.test').connections;
  const { result, evidence } = await engine.verify('ada@bad.test');
  expect(result).toMatchObject({ state: 'undeliverable', reason: 'invalid_domain', score: 0, mx_record: '' });
  expect(told(evidence)).toContain('The operator has blocked the mail server mx.abuse.test (block-mx.txt).');
  expect(world.server('abuse.test').connections).toBe(before);
});

it.each([
  ['first-fine.test', false],
  ['first-trash.test', true],
  ['both.test', true],
  ['dead.test', true],
  ['no-mx.test', true],
  ['allowed.test', false],
])('lets the first mail server of %s decide: %s', async (domain, disposable) => {
  expect(await engine.check(`ada@${domain}`)).toMatchObject({
    disposable,
    reason: disposable ? 'low_quality' : 'accepted_email',
  });
});

it('does not call a disposable domain free', async () => {
  expect(await engine.check('ada@free.test')).toMatchObject({ disposable: true, free: false });
});

it('names the packaged list', async () => {
  const { result, evidence } = await engine.verify('ada@packaged.test');
  expect(result).toMatchObject({ disposable: true });
  expect(told(evidence)).toContain('mail.mailinator.com is one of disposable mailboxes (the packaged list)');
});

it('knows it without a conversation', async () => {
  const { result } = await engine.verify('ada@new.test', { smtp: false });
  expect(result).toMatchObject({ reason: 'low_deliverability', disposable: true, score: 30 });
  const blocked = await engine.check('ada@bad.test', { smtp: false });
  expect(blocked).toMatchObject({ reason: 'invalid_domain' });
});
