/**
 * Loaded by a suite worker: keeps every distinct text of SQL that the product sends during its tests, and writes them into a
 * file at the end of the process. `npm test` then has the oldest supported PostgreSQL prepare them all
 * (tools/test-statements.ts).
 *
 * Scripts of several statements (migrations, `begin; set …`) are left out: they cannot be prepared.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DedicatedConnection } from '../../../src/kernel/database/connection-pool.ts';
import { Store } from '../../../src/kernel/database/store.ts';

const folder = process.env['CASEWRIGHT_TEST_STATEMENTS'];
const texts = new Set<string>();

if (folder !== undefined) {
  const { query } = Store.prototype;
  Store.prototype.query = function (text, params) {
    texts.add(text);
    return query.call(this, text, params) as never;
  };
  const { query: dedicated } = DedicatedConnection.prototype;
  DedicatedConnection.prototype.query = function (text, params, prepare, script) {
    if (script !== true) texts.add(text);
    return dedicated.call(this, text, params, prepare, script) as never;
  };
  process.on('exit', () => writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...texts])));
}
