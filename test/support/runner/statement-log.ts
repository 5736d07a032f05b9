/**
 * Loaded by a suite worker: keeps every distinct text of SQL that the product sends during its tests, and writes them
 * into a file at the end of the process. `npm test` then has the oldest supported PostgreSQL prepare them all
 * (tools/test-statements.ts).
 *
 * Left out are scripts of several statements (migrations, `begin; set …`), which cannot be prepared, and saved
 * statements, which are the words of their authors: tests try hostile ones that only a newer server knows.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DedicatedConnection } from '../../../src/kernel/database/connection-pool.ts';
import { Store } from '../../../src/kernel/database/store.ts';

const folder = process.env['CASEWRIGHT_TEST_STATEMENTS'];
const texts = new Set<string>();
/** Connections in a transaction that runs a saved statement. */
const reporting = new WeakSet<DedicatedConnection>();
const REPORT_PATH = 'set local search_path to report';

if (folder !== undefined) {
  const { query } = Store.prototype;
  Store.prototype.query = function (text, ...more) {
    texts.add(text);
    return query.call(this, text, ...more) as never;
  };
  const { query: dedicated } = DedicatedConnection.prototype;
  DedicatedConnection.prototype.query = function (text, ...more) {
    const script = more[2];
    if (script === true && text.startsWith('begin')) reporting[text.includes(REPORT_PATH) ? 'add' : 'delete'](this);
    if (script !== true && !reporting.has(this)) texts.add(text);
    return dedicated.call(this, text, ...more) as never;
  };
  process.on('exit', () => writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...texts])));
}
