/** An operator's lists over the published ones. */
import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { createEngineFacts, parseList, STEP_LINES } from '../../../src/engine/facts/operator-lists.ts';
import { atOnce } from '../../../src/shared/steps.ts';

const PUBLISHED = {
  disposableDomains: new Set(['minutes.example', 'wrong.example']),
  freeDomains: new Set(['mail.example', 'company.example']),
  roleNames: new Set(['support', 'maria']),
  disposableMailServers: new Set(['packaged.example']),
};
const NOT_LIST = 'Expected a file of at most 64 MiB, got something else.';
let folder: string;
let now: number;
const faults = vi.fn();
const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.txt`), text);
const open = () => createEngineFacts(PUBLISHED, folder, faults, () => now);
const later = () => {
  now += 1000;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lists-'));
  now = 0;
  faults.mockReset();
});
afterEach(() => rmSync(folder, { recursive: true }));

it('adds entries, and removes those with an exclamation mark', () => {
  write('disposable', 'trash.example\n!wrong.example\n');
  write('free', '!company.example\r\nfree.example');
  write('role', 'Kasse\n! maria\n');
  const facts = open();
  expect(facts.isDisposable('trash.example')).toBe(true);
  expect(facts.isDisposable('minutes.example')).toBe(true);
  expect(facts.isDisposable('wrong.example')).toBe(false);
  expect(facts.isFree('free.example')).toBe(true);
  expect(facts.isFree('company.example')).toBe(false);
  expect(facts.isRole('kasse')).toBe(true);
  expect(facts.isRole('support')).toBe(true);
  expect(facts.isRole('maria')).toBe(false);
});

it('never calls an allowed domain or one below it disposable', () => {
  write('allow', 'minutes.example');
  const facts = open();
  expect(facts.isDisposable('minutes.example')).toBe(false);
  expect(facts.isDisposable('eu.minutes.example')).toBe(false);
});

it('blocks a domain and its subdomains, except removed ones', () => {
  write('block', 'blocked.example\n!fine.blocked.example\nbücher.example');
  const facts = open();
  expect(facts.isBlocked('blocked.example')).toBe(true);
  expect(facts.isBlocked('mail.blocked.example')).toBe(true);
  expect(facts.isBlocked('fine.blocked.example')).toBe(false);
  expect(facts.isBlocked('notblocked.example')).toBe(false);
  expect(facts.isBlocked('xn--bcher-kva.example')).toBe(true);
});

it('reads a file again when it changes, appears or goes', () => {
  const facts = open();
  expect(facts.isBlocked('late.example')).toBe(false);
  write('block', 'late.example');
  later();
  expect(facts.isBlocked('late.example')).toBe(true);
  write('block', 'other-name.example');
  later();
  expect(facts.isBlocked('late.example')).toBe(false);
  expect(facts.isBlocked('other-name.example')).toBe(true);
  rmSync(join(folder, 'block.txt'));
  later();
  expect(facts.isBlocked('other-name.example')).toBe(false);
});

describe('a long file that has changed', () => {
  const LINES = 4_000;
  const long = (last: string) => `${'not a domain\n'.repeat(LINES)}${last}`;
  /** How many steps a reading of the file takes. */
  const STEPS = LINES / STEP_LINES + 1;
  /** Called for each step. */
  let step: MockInstance;
  beforeEach(() => {
    step = vi.spyOn(parseList.prototype, 'next');
  });
  afterEach(() => step.mockRestore());

  /** The steps in each turn, until the entry counts. */
  async function turnsUntil(isBlocked: () => boolean): Promise<number[]> {
    const perTurn: number[] = [];
    while (!isBlocked()) {
      if (perTurn.length > 100_000) throw new Error('Expected the entry to count by now.');
      const before = step.mock.calls.length;
      await turn();
      perTurn.push(step.mock.calls.length - before);
    }
    return perTurn;
  }

  it('is read in turns of the event loop, and its earlier entries stay until its end', async () => {
    write('block', 'early.example');
    const facts = open();
    step.mockClear();
    write('block', long('late.example'));
    later();
    const perTurn = await turnsUntil(() => {
      const isLate = facts.isBlocked('late.example');
      expect(facts.isBlocked('early.example')).toBe(!isLate);
      return isLate;
    });
    expect(Math.max(...perTurn)).toBe(1);
    expect(step).toHaveBeenCalledTimes(STEPS);
  });

  it('is one warning, however many of its lines are no entries', async () => {
    const facts = open();
    write('block', long('late.example'));
    later();
    await turnsUntil(() => facts.isBlocked('late.example'));
    const lines = `lines 1, 2, 3 and ${LINES - 3} more`;
    const fault = `Expected one entry in each line, got something else in ${lines}.`;
    expect(faults).toHaveBeenCalledExactlyOnceWith('block.txt', fault);
  });

  it('is read once, however often it is looked at meanwhile, and again if it changes meanwhile', async () => {
    const facts = open();
    write('block', long('first.example'));
    await turnsUntil(() => {
      if (step.mock.calls.length === 1) write('block', long('second.example'));
      later();
      return facts.isBlocked('first.example');
    });
    expect(step).toHaveBeenCalledTimes(STEPS);
    await turnsUntil(() => {
      later();
      return facts.isBlocked('second.example');
    });
    expect(step).toHaveBeenCalledTimes(2 * STEPS);
    later();
    expect(facts.isBlocked('second.example')).toBe(true);
    await turn();
    expect(step).toHaveBeenCalledTimes(2 * STEPS);
  });

  it('leaves the earlier entries if it cannot be read, and says so once', async () => {
    write('block', 'kept.example');
    const facts = open();
    truncateSync(join(folder, 'block.txt'), 3 * 2 ** 30);
    for (let look = 0; look < 3; look += 1) {
      later();
      await turnsUntil(() => {
        expect(facts.isBlocked('kept.example')).toBe(true);
        return faults.mock.calls.length > 0;
      });
    }
    expect(faults).toHaveBeenCalledExactlyOnceWith('block.txt', NOT_LIST);
  });
});

it('reads a long file at once before any request', () => {
  write('block', `${'# A comment\n'.repeat(10_000)}first.example`);
  expect(open().isBlocked('first.example')).toBe(true);
});

it('checks the files at most once a second', () => {
  const facts = open();
  expect(facts.isBlocked('late.example')).toBe(false);
  write('block', 'late.example');
  expect(facts.isBlocked('late.example')).toBe(false);
});

it('skips a line that cannot be an entry, and names it', () => {
  write('block', '# ours\n\nfine.example\nnot a domain\n');
  const facts = open();
  expect(facts.isBlocked('fine.example')).toBe(true);
  const fault = 'Expected one entry in line 4, got something else.';
  expect(faults).toHaveBeenCalledExactlyOnceWith('block.txt', fault);
});

it.each([
  ['a b\nc d', '1 and 2'],
  ['a b\nc d\ne f', '1, 2 and 3'],
  ['a b\nc d\ne f\nfine.example\ng h', '1, 2, 3 and 1 more'],
])('names the first lines of %j that cannot be entries, and counts the others', (text, lines) => {
  write('block', text);
  open();
  const fault = `Expected one entry in each line, got something else in lines ${lines}.`;
  expect(faults).toHaveBeenCalledExactlyOnceWith('block.txt', fault);
});

it('keeps its entries when a file cannot be read', () => {
  write('block', 'kept.example');
  const facts = open();
  expect(facts.isBlocked('kept.example')).toBe(true);
  rmSync(folder, { recursive: true });
  // A file in the folder's place: its entries cannot even be looked for.
  writeFileSync(folder, '');
  later();
  expect(facts.isBlocked('kept.example')).toBe(true);
  expect(faults).toHaveBeenCalledWith('block.txt', 'The file cannot be read (ENOTDIR).');
  const count = faults.mock.calls.length;
  later();
  expect(facts.isBlocked('kept.example')).toBe(true);
  expect(faults).toHaveBeenCalledTimes(count);
});

it('opens no device or pipe, for which everything would wait, and no file that is too long', () => {
  symlinkSync('/dev/null', join(folder, 'block.txt'));
  write('free', '');
  truncateSync(join(folder, 'free.txt'), 64 * 1024 * 1024 + 1);
  const facts = open();
  expect(facts.isBlocked('a.example')).toBe(false);
  expect(faults.mock.calls).toEqual([
    ['free.txt', NOT_LIST],
    ['block.txt', NOT_LIST],
  ]);
});

it('says again that a file cannot be read, if it could be read meanwhile', () => {
  const facts = open();
  for (let round = 0; round < 2; round += 1) {
    mkdirSync(join(folder, 'block.txt'));
    later();
    facts.isBlocked('a.example');
    rmSync(join(folder, 'block.txt'), { recursive: true });
    write('block', 'a.example');
    later();
    expect(facts.isBlocked('a.example')).toBe(true);
    rmSync(join(folder, 'block.txt'));
  }
  expect(faults.mock.calls).toEqual(Array(2).fill(['block.txt', NOT_LIST]));
});

it('says once that the folder does not exist', () => {
  const facts = createEngineFacts(PUBLISHED, join(folder, 'typo'), faults, () => now);
  facts.isBlocked('a.example');
  later();
  facts.isBlocked('a.example');
  const fault = 'There is no such folder, so the packaged lists count alone.';
  expect(faults).toHaveBeenCalledExactlyOnceWith('listsFolder', fault);
});

it('goes on with the published lists when the folder is inaccessible', () => {
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  const facts = createEngineFacts(PUBLISHED, loop, faults, () => now);
  expect(facts.isDisposable('minutes.example')).toBe(true);
  expect(faults).toHaveBeenCalledWith('block.txt', 'The file cannot be read (ELOOP).');
});

it('needs no folder', () => {
  const facts = createEngineFacts(PUBLISHED);
  expect(facts.isDisposable('minutes.example')).toBe(true);
  expect(facts.isBlocked('minutes.example')).toBe(false);
});

it('reads entries whatever the line ends and the byte order mark', () => {
  const { added, removed } = atOnce(parseList('\uFEFFa\r\nb\r!c\n', 'role', faults));
  expect([...added, ...removed]).toEqual(['a', 'b', 'c']);
});

it('ignores white space, a mark and an @ before an entry, and a dot after it', () => {
  write('block', '  fine.example  \n!  good.fine.example\n@at.example\ndot.example.\nada@both.example\n');
  write('role', 'team_lead');
  const facts = open();
  for (const domain of ['fine.example', 'at.example', 'dot.example']) {
    expect(facts.isBlocked(domain)).toBe(true);
  }
  expect(facts.isBlocked('good.fine.example')).toBe(false);
  expect(facts.isRole('team_lead')).toBe(true);
  expect(facts.isBlocked('adaboth.example')).toBe(false);
  expect(faults.mock.calls).toEqual([['block.txt', 'Expected one entry in line 5, got something else.']]);
  const { added } = atOnce(parseList('  a \nc!d', 'role', faults));
  expect([...added]).toEqual(['a', 'c!d']);
});

it('names a line that cannot be an entry once, however often it checks', () => {
  write('block', 'not a domain');
  const facts = open();
  for (let look = 0; look < 3; look += 1) {
    facts.isBlocked('a.example');
    later();
  }
  expect(faults).toHaveBeenCalledTimes(1);
});

it('reports no fault when a file is removed', () => {
  write('block', 'fine.example');
  const facts = open();
  facts.isBlocked('a.example');
  rmSync(join(folder, 'block.txt'));
  later();
  facts.isBlocked('a.example');
  expect(faults).not.toHaveBeenCalled();
});

it('reports a missing folder again when it is removed a second time', () => {
  const other = join(folder, 'other');
  const facts = createEngineFacts(PUBLISHED, other, faults, () => now);
  const look = () => {
    facts.isBlocked('a.example');
    later();
  };
  look();
  mkdirSync(other);
  look();
  rmSync(other, { recursive: true });
  look();
  expect(faults).toHaveBeenCalledTimes(2);
});

it('suggests the same as the published facts', () => {
  expect(open().suggestAddress('jane@gmial.com')).toBe('jane@gmail.com');
});

describe('lists of mail servers', () => {
  it('cover a name and what is below it, whatever the case and the dot at the end', () => {
    write('disposable-mx', 'MX.Trash.example.\nmail_1.minutes.example\nb\u00fccher.example\n');
    write('block-mx', 'Blocked.example.');
    const facts = open();
    const listed = (...names: string[]) => facts.findListed(names, 'ada.example');
    const own = { as: 'disposable', list: 'disposable-mx.txt' };
    expect(listed('mx.trash.example')).toEqual({ ...own, name: 'mx.trash.example' });
    expect(listed('a.b.mx.trash.example')).toEqual({ ...own, name: 'a.b.mx.trash.example' });
    expect(listed('mail_1.minutes.example')).toEqual({ ...own, name: 'mail_1.minutes.example' });
    expect(listed('mx.xn--bcher-kva.example')).toMatchObject(own);
    expect(listed('trash.example')).toBeUndefined();
    expect(listed('othermx.trash.example')).toBeUndefined();
    const name = 'mx.blocked.example';
    expect(listed(name)).toEqual({ as: 'blocked', name, list: 'block-mx.txt' });
    expect(faults).not.toHaveBeenCalled();
  });

  it('have packaged entries, of which the operator removes some', () => {
    write('disposable-mx', '!fine.packaged.example');
    const facts = open();
    const name = 'mx.packaged.example';
    expect(facts.findListed(['mx.other.example', name], 'ada.example')).toEqual({
      ...{ as: 'disposable', name, list: 'the packaged list' },
    });
    expect(facts.findListed(['mx.fine.packaged.example'], 'ada.example')).toBeUndefined();
  });

  it('give way to an allowed domain, unless the server is blocked', () => {
    write('allow', 'allowed.example');
    write('disposable-mx', 'mx.trash.example');
    write('block-mx', 'mx.blocked.example');
    const facts = open();
    for (const name of ['mx.trash.example', 'packaged.example'])
      expect(facts.findListed([name], 'eu.allowed.example')).toBeUndefined();
    expect(facts.findListed(['mx.blocked.example'], 'allowed.example')).toMatchObject({ as: 'blocked' });
  });
});

it('calls a relay disposable only if the operator lists it', () => {
  const packaged = { ...PUBLISHED, disposableDomains: new Set(['duck.com', 'mozmail.com']) };
  write('disposable', 'duck.com');
  write('free', 'duck.com\nmozmail.com');
  const facts = createEngineFacts(packaged, folder, faults, () => now);
  expect([facts.isDisposable('duck.com'), facts.isFree('duck.com')]).toEqual([true, false]);
  expect([facts.isDisposable('mozmail.com'), facts.isFree('mozmail.com')]).toEqual([false, true]);
});

it('takes only a local part for a role', () => {
  write('role', 'kasse\n<html>\nada@example.org\ntwo words\nsales\u00fc\n"quoted"\n.dot');
  const facts = open();
  const areRoles = ['kasse', 'sales\u00fc', '<html>'].map((name) => facts.isRole(name));
  expect(areRoles).toEqual([true, true, false]);
  expect(faults.mock.calls.map(([, message]) => message)).toEqual([
    'Expected one entry in each line, got something else in lines 2, 3, 4 and 2 more.',
  ]);
});

it('reports the entries of each list, and when its file has changed', () => {
  write('disposable', 'trash.example\nTRASH.example\n!wrong.example\n');
  utimesSync(join(folder, 'disposable.txt'), new Date(0), new Date('2026-01-02T03:04:05Z'));
  const facts = open();
  expect(facts.reportLists()).toEqual([
    {
      ...{ name: 'disposable', packaged: 2, packagedAt: expect.any(Date) },
      own: { entries: 1, changedAt: new Date('2026-01-02T03:04:05Z') },
    },
    { name: 'free', packaged: 2, packagedAt: expect.any(Date) },
    { name: 'role', packaged: 2, packagedAt: expect.any(Date) },
    { name: 'allow', packaged: 0 },
    { name: 'block', packaged: 0 },
    { name: 'disposable-mx', packaged: 1, packagedAt: expect.any(Date) },
    { name: 'block-mx', packaged: 0 },
  ]);
  rmSync(join(folder, 'disposable.txt'));
  later();
  expect(facts.reportLists()[0]).toEqual({ name: 'disposable', packaged: 2, packagedAt: expect.any(Date) });
});
