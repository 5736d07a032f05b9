import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { housekeeping } from '../../../src/app/housekeeping.ts';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';

const DAY = 86_400_000;
let now = Date.parse('2026-06-01T12:00:00Z');
const test = await testPlatform(
  { after },
  { clock: { now: () => new Date(now).toISOString(), milliseconds: () => now } },
);
const { load } = bulkOn(test);
const { store } = test.platform;
const task = housekeeping.find(({ name }) => name === 'staging tables past their time');
const tables = async (): Promise<string[]> =>
  (
    await store.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'staging'::regnamespace and relkind = 'r' order by 1",
    )
  ).map(({ name }) => name);

describe('staging tables past their time', () => {
  it('IMP-11 the table of a single import file is dropped days after the import has ended, a named one stays', async () => {
    const own = await load({}, 'A,B\n1,2\n');
    await load({ options: { TableName: 'named' } }, 'A,B\n1,2\n');
    const open = await load({}, 'A,B\n1,2\n');
    await store.query('update importfile set importcomplete = null where importfileid = $1::bigint', [open.id]);
    now += 6 * DAY;
    await task?.run(test.platform);
    assert.deepEqual(await tables(), [`import${own.id}`, `import${open.id}`, 'named'].sort());
    now += 2 * DAY;
    assert.equal(await task?.run(test.platform), 2);
    assert.deepEqual(await tables(), [`import${open.id}`, 'named'], 'an import that has not ended may continue');
    await store.query('delete from importlog where importfileid = $1::bigint', [open.id]);
    await store.query('delete from importfile where importfileid = $1::bigint', [open.id]);
    await task?.run(test.platform);
    assert.deepEqual(await tables(), ['named'], 'the table of a deleted import file is dropped too');
    assert.equal(await task?.run(test.platform), 0);
  });
});
