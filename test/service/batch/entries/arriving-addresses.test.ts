import { expect, it } from 'vitest';
import { largeBodyOf } from '../../../../src/service/batch/entries/arriving-addresses.ts';
import { allOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import type { AddressReader } from '../../../../src/service/batch/parse-addresses.ts';
import type { Key } from '../../../../src/service/keys/key.ts';
import { STEP_CHARACTERS } from '../../../../src/shared/steps.ts';
import { countWork } from '../../support/work-per-turn.ts';

/** The field of an account that may send large batches. */
const open = () => largeBodyOf({ account: { id: 'acc_large', batchSize: 60_000 } } as unknown as Key)!.open();

it('reads an entry of megabytes in steps, however it arrives', async () => {
  const piece = 'x'.repeat(64 * 1024);
  for (const isLast of [false, true]) {
    const field = open();
    let addresses: AddressReader | undefined;
    const { most } = await countWork(async () => {
      for (let count = 0; count < 100; count += 1) await field.addText(piece);
      if (!isLast) await field.addText('y,a@b.example');
      addresses = (await field.end()) as AddressReader;
    });
    expect(most).toBeLessThan(6 * STEP_CHARACTERS);
    const entries = await allOf(addresses!.entries);
    const long = { address: `${'x'.repeat(320)}…`, duplicates: 0 };
    expect(entries).toEqual(isLast ? [long] : [long, { address: 'a@b.example', duplicates: 0 }]);
    await field.close();
  }
});
