import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { testDatabase } from '../../support/database.ts';
import { schemaText } from '../../../tools/schema/schema-text.ts';

const sql = postgres({ ...(await testDatabase({ after })), max: 1 });
after(() => sql.end());

test('KRN-32 db/schema.sql is the schema that the migrations produce, on every supported PostgreSQL', async () => {
  const file = readFileSync(new URL('../../../db/schema.sql', import.meta.url), 'utf8');
  const section = (text: string): string[] => text.split('\n\n');
  // Compared by section, so that a difference names its table or function: the whole file has 5,000 lines.
  const actual = section(await schemaText(sql));
  const expected = section(file);
  assert.deepEqual(
    actual.filter((each) => !expected.includes(each)),
    [],
    'in the database and not in the file: run npm run schema',
  );
  assert.deepEqual(
    expected.filter((each) => !actual.includes(each)),
    [],
    'in the file and not in the database: run npm run schema',
  );
});
