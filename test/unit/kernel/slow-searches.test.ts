import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/kernel/database/store.ts';
import type { Log } from '../../../src/kernel/ports/log.ts';
import { SlowSearches, type SlowSearch } from '../../../src/kernel/records/search/slow-searches.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';

const clock: Clock = { now: () => '2026-11-22T00:00:00.000Z', milliseconds: () => 0 };

/** Notes searches for a value, and returns how many are planned again. */
async function plans(values: readonly string[]): Promise<number> {
  let planned = 0;
  const query = (): Promise<[]> => {
    planned++;
    return Promise.resolve([]);
  };
  const searches = new SlowSearches({ query } as unknown as Store, clock, {} as Log);
  for (const [at, value] of values.entries()) searches.note(searchOf(`Column${at}`, value));
  await searches.settled();
  return planned;
}

function searchOf(filters: string, value: string): SlowSearch {
  const statement = { text: 'select 1', values: [7, value] };
  return { record: 'Loan', filters, orderBy: '', milliseconds: 300, statement, firm: null, tables: ['loan'] };
}

describe('slow searches', () => {
  it('are planned again unless their filters are so long that remembering them would fill the memory', async () => {
    assert.equal(await plans(['short', 'also short']), 2);
    assert.equal(await plans(['x'.repeat(1_000_000), 'short']), 1);
  });
});
