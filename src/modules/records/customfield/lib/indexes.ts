import {
  createIndexConcurrently,
  dropIndexConcurrently,
  indexesNamed,
  type ConcurrentIndex,
} from '../../../../kernel/database/concurrent-index.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { valueSql } from '../../../../kernel/database/sql.ts';
import { readCustomFields } from './stored-custom-field.ts';

/**
 * Housekeeping: creates the required indexes of custom fields, and removes those that no field requires or that are
 * incomplete. An index is named by field and kind, so that a field of another kind gets another index. Returns how many
 * were created and removed.
 */
export const maintainCustomFieldIndexes = {
  name: 'indexes of custom fields',
  everyMinutes: 5,
  async run(platform: Platform): Promise<number> {
    const { store } = platform;
    const required = await requiredIndexes(platform);
    let changed = 0;
    for (const { name, condition } of await indexesNamed(store, '^customfield_[0-9]+_[a-z]+$')) {
      if (condition !== 'unusable' && required.delete(name)) continue;
      await dropIndexConcurrently(store, name);
      changed++;
    }
    for (const index of required.values()) {
      await createIndexConcurrently(store, index);
      changed++;
    }
    return changed;
  },
} as const;

async function requiredIndexes(platform: Platform): Promise<Map<string, ConcurrentIndex>> {
  const required = new Map<string, ConcurrentIndex>();
  for (const field of await readCustomFields(platform.store)) {
    const record = platform.registry.record(field.AppliesTo);
    const column = record?.columns.get(field.CustomField.toLowerCase());
    if (!record || !column?.custom || field.IsActive !== true || field.IsIndexed !== true) continue;
    const name = `customfield_${field.CustomFieldID}_${field.Kind.toLowerCase()}`;
    // The index is on the exact expression that searches use.
    required.set(name, { name, table: record.root.table, using: `((${valueSql(column)}))` });
  }
  return required;
}
