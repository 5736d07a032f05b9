import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { insertText } from '../../database/sql.ts';
import { publishInserts } from './after-change.ts';
import { trackWrite } from './conflict.ts';
import { storedForInsert } from './stored-values.ts';

/**
 * Inserts one row with these columns (by lower-cased name), derives its label, publishes the insert, and returns the
 * row as stored. Runs no checks, business rules or reactions.
 */
export async function insertRow(ctx: Context, record: RecordType, values: ReadonlyMap<string, unknown>): Promise<Row> {
  const { text, keys } = insertText(record);
  const stored = storedForInsert(ctx, record, values);
  const params = keys.map((key) => stored.get(key) ?? null);
  const [row] = await trackWrite({ record, ids: [], stored }, () => ctx.db.query(text, params));
  if (!row) throw new Error(`the insert of a ${record.name} returned no row`);
  if (isConfiguration(record)) ctx.configurationChanged();
  await publishInserts(ctx, record, [row]);
  return row;
}
