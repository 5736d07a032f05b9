import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import postgres from 'postgres';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { testDatabase } from '../../support/database.ts';

const registry = new Registry(declarations);
const sql = postgres({ ...(await testDatabase({ after })), max: 1 });
after(() => sql.end());

/** The table "Record type by record type" of the document: type, visibility, and what decides. */
const documented = [
  ...readFileSync(new URL('../../../docs/internals/visibility.md', import.meta.url), 'utf8').matchAll(
    /^\| (\w+) \| (one|many|configuration|none) \| ?(.*?) ?\|$/gm,
  ),
].map(([, type = '', kind = '', decidedBy = '']) => ({ type, kind, decidedBy }));

/** Returns what the database's policies let the firms' role do with a table, in the document's terms. */
async function kindsOfPolicies(): Promise<Map<string, string>> {
  const policies = await sql<{ table: string; cmd: string; qual: string }[]>`
    select tablename as table, cmd, qual from pg_policies where 'casewright_reach' = any(roles::text[])`;
  return new Map(
    policies.map(({ table, cmd, qual }) => {
      if (qual.includes('reachorganizationid @>')) return [table, 'many'];
      if (qual.includes('reachorganizationid = ')) return [table, 'one'];
      // A narrower policy must be documented.
      const isDocumented = documented.some(({ type, decidedBy }) => type.toLowerCase() === table && decidedBy !== '');
      const isAll = qual === 'true' || isDocumented;
      return [table, isAll && cmd === 'SELECT' ? 'configuration' : `unknown: ${cmd} ${qual}`];
    }),
  );
}

test('KRN-18 the document names every record type once, with its declared visibility', () => {
  assert.deepEqual(
    documented.map(({ type, kind }) => `${type} ${kind}`),
    registry
      .records()
      .map((record) => `${record.name} ${record.reach}`)
      .sort(),
  );
});

test('KRN-18 the database enforces the documented visibility of every record type', async () => {
  const kinds = await kindsOfPolicies();
  for (const { type, kind } of documented)
    assert.equal(kinds.get(type.toLowerCase()) ?? 'none', kind, `policies of ${type}`);
});

test('KRN-18 the documented function or column decides which firms see a row', async () => {
  const triggers = await sql<{ table: string; fn: string }[]>`
    select tgrelid::regclass::text as table, tgfoid::regproc::text as fn from pg_trigger where not tgisinternal`;
  const computed = await sql<{ table: string; expression: string }[]>`
    select a.attrelid::regclass::text as table, pg_get_expr(d.adbin, d.adrelid) as expression
    from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attname = 'reachorganizationid' and a.attgenerated = 's'`;
  const functions = await sql<{ name: string }[]>`select proname as name from pg_proc where proname like 'casewright%'`;
  const policies = await sql<{ table: string; qual: string }[]>`
    select tablename as table, qual from pg_policies where 'casewright_reach' = any(roles::text[])`;
  const narrowed = new Set(policies.filter(({ qual }) => qual !== 'true').map(({ table }) => table));
  for (const { type, kind, decidedBy } of documented) {
    const table = type.toLowerCase();
    const named = [...decidedBy.matchAll(/`(casewright_\w+)`/g)].map(([, name = '']) => name);
    const [first] = named;
    if (kind === 'configuration') assert.equal(decidedBy !== '', narrowed.has(table), type);
    else if (kind === 'none') assert.equal(decidedBy, '', type);
    else if (first !== undefined) {
      assert.ok(
        triggers.some((trigger) => trigger.table === table && trigger.fn === first),
        `${type}: no trigger runs ${first}`,
      );
      for (const name of named)
        assert.ok(
          functions.some((fn) => fn.name === name),
          `${type}: no function ${name}`,
        );
    } else if (registry.record(decidedBy) !== undefined) assert.equal(registry.record(type)?.base?.name, decidedBy);
    else {
      const expression = computed.find((column) => column.table === table)?.expression;
      assert.ok(expression?.includes(decidedBy.toLowerCase()), `${type}: computed from ${String(expression)}`);
    }
  }
});
