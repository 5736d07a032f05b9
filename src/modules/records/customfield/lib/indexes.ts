import type { Platform } from '../../../../kernel/ports/platform.ts';
import { valueSql } from '../../../../kernel/database/sql.ts';
import { readCustomFields } from './stored-custom-field.ts';

/** Longest time to create one index; records are read and written meanwhile. */
const MINUTES_MAX = 60;

interface IndexDefinition {
  readonly table: string;
  readonly expression: string;
}

/**
 * Housekeeping: creates the required indexes of custom fields, and removes those that no field requires or that are
 * incomplete. An index is named by field and kind, so that a field of another kind gets another index. Returns how many
 * were created and removed.
 */
export const maintainCustomFieldIndexes = {
  name: 'indexes of custom fields',
  everyMinutes: 5,
  async run(platform: Platform): Promise<number> {
    const required = await requiredIndexes(platform);
    const standing = await platform.store.query<{ name: string; usable: boolean }>(
      `select c.relname as name, i.indisvalid as usable
       from pg_index i
       join pg_class c on c.oid = i.indexrelid
       where c.relnamespace = 'public'::regnamespace and c.relname ~ '^customfield_[0-9]+_[a-z]+$'`,
    );
    let changed = 0;
    for (const { name, usable } of standing) {
      if (usable && required.delete(name)) continue;
      await platform.store.outsideTransaction(`drop index concurrently if exists public.${name}`, MINUTES_MAX * 60_000);
      changed++;
    }
    for (const [name, { table, expression }] of required) {
      await platform.store.outsideTransaction(
        `create index concurrently if not exists ${name} on public.${table} ((${expression}))`,
        MINUTES_MAX * 60_000,
      );
      changed++;
    }
    return changed;
  },
} as const;

async function requiredIndexes(platform: Platform): Promise<Map<string, IndexDefinition>> {
  const required = new Map<string, IndexDefinition>();
  for (const field of await readCustomFields(platform.store)) {
    const record = platform.registry.record(field.appliesto);
    const column = record?.columns.get(field.customfield.toLowerCase());
    // The index is on the exact expression that searches use.
    if (record && column?.custom && field.isactive === true && field.isindexed === true)
      required.set(`customfield_${field.customfieldid}_${field.kind.toLowerCase()}`, {
        table: record.root.table,
        expression: valueSql(column),
      });
  }
  return required;
}
