import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { bulkOptionDocs } from '../../../src/providers/import-engine/bulk/bulk-options.ts';
import { testPlatform } from '../../support/platform.ts';
import { bulkOn } from '../../support/imports/bulk.ts';

const guide = readFileSync(new URL('../../../docs/guides/analysts/bulk-imports.md', import.meta.url), 'utf8');
const examples = [
  ...guide.matchAll(
    /```json\n([^`]*)```\s+<!--[^>]*-->\s+```csv\n([^`]*)```\s+<!--[^>]*-->\s+```text\n(\S+)\n([^`]*)```/g,
  ),
];
const test = await testPlatform({ after });
const { template, send } = bulkOn(test);

describe('the guide to bulk imports', () => {
  it('IMP-11 IMP-12 IMP-18 shows examples that, run in order, have the results it states', async () => {
    assert.equal(examples.length, 4);
    for (const [, json = '', file = '', table = '', expected = ''] of examples) {
      const {
        ImportFileMaps: maps = [],
        ImportEngine: engine,
        ParameterString = '',
        ...fields
      } = JSON.parse(json) as {
        ImportFileMaps?: Record<string, unknown>[];
        ImportEngine: 'BulkReader' | 'BulkMerge';
        ParameterString?: string;
      };
      const done = await send(
        await template({ engine, maps, fields, options: Object.fromEntries(new URLSearchParams(ParameterString)) }),
        file,
      );
      assert.equal(done.status, 'Complete', done.message);
      const columns = table === 'public.property' ? 'address, city' : '*';
      const rows = await test.platform.store.query(`select ${columns} from ${table} order by 1`);
      assert.equal(
        rows
          .map((row) =>
            Object.values(row)
              .map((value) => value ?? '')
              .join(','),
          )
          .join('\n'),
        expected.trim(),
      );
    }
  });

  it('IMP-11 documents every option and its default', () => {
    const reported = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(reported, Object.keys(bulkOptionDocs));
  });
});
