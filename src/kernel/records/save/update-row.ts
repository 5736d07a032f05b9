import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { updateText } from '../../database/sql.ts';
import { readRecord } from '../search/read.ts';
import { changedColumns, hiddenSelectList } from './changed-columns.ts';
import { trackWrite } from './conflict.ts';
import { lockRecord } from './lock-record.ts';
import { omitEqualNumbers } from './protect.ts';
import { deriveLabel, requireCustomValue, storedValues } from './stored-values.ts';
import { versionConflict } from './version-conflict.ts';

/**
 * Updates these columns (by lower-cased name) of one row, publishes the columns that changed, and returns the row as
 * stored. Runs no checks, business rules or reactions.
 */
export function updateRow(
  ctx: Context,
  record: RecordType,
  id: number,
  values: ReadonlyMap<string, unknown>,
): Promise<Row> {
  return updateRowAtVersion(ctx, record, { id, version: undefined }, values);
}

/**
 * Like {@link updateRow}; throws VERSION_CONFLICT where the record has another version by now. Without one it is not
 * compared.
 */
export async function updateRowAtVersion(
  ctx: Context,
  record: RecordType,
  { id, version }: { readonly id: number; readonly version: number | undefined },
  values: ReadonlyMap<string, unknown>,
): Promise<Row> {
  const sent = new Map(values);
  for (const [name, value] of sent) {
    const column = value === null ? record.columns.get(name) : undefined;
    if (column?.custom) requireCustomValue(column);
  }
  const isPublished = await ctx.recordEvents.hasSubscribers(ctx, record, 'update');
  const isRelabeled = record.label?.from.some((name) => sent.has(name.toLowerCase())) ?? false;
  // The old row is needed only to compare it or to derive the label.
  const before =
    isPublished || isRelabeled ? await lockRecord(ctx, record, id, isPublished ? hiddenSelectList(record) : '') : {};
  if (isRelabeled) deriveLabel(record, sent, before);
  await omitEqualNumbers(ctx, record, id, sent);
  const stored = storedValues(ctx, record, sent);
  const keys = [...stored.keys()].sort();
  const columnValues = keys.map((key) => stored.get(key) ?? null);
  const [row] = await trackWrite({ record, ids: [id], stored }, () =>
    ctx.db.query(updateText(record, keys), [id, version ?? null, ctx.user.personId, ctx.clock.now(), ...columnValues]),
  );
  if (!row) throw versionConflict(record, await readRecord(ctx.db, record, id), sent, version);
  if (isConfiguration(record)) ctx.configurationChanged();
  const changed = isPublished ? changedColumns(record, before, row, stored) : [];
  // A save that changes nothing is no event.
  if (changed.length > 0) await ctx.recordEvents.publish(ctx, record, 'update', [{ row, changed }]);
  return row;
}
