import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { NamedType } from '../../declare/columns.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { updateText } from '../../database/sql.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import { readRecord } from '../search/read.ts';
import { changedColumns, hiddenSelectList } from './changed-columns.ts';
import { commitOne, PLATFORM_WRITE, type PendingChange } from './commit-change.ts';
import { trackWrite } from './conflict.ts';
import { lockRecord } from './lock-record.ts';
import { compareNumbers } from './number-comparison.ts';
import { deriveLabel, requireCustomValue, storedValues } from './stored-values.ts';
import { versionConflict } from './version-conflict.ts';

/** An update of one row. */
export interface RowUpdate<R extends RecordType = RecordType> {
  readonly id: number;
  /** The version that the record must have; undefined for any. */
  readonly version?: number | undefined;
  /** The columns to write. */
  readonly values: Readonly<Values<R>>;
}

/**
 * Returns an update of one row. Its write throws VERSION_CONFLICT where the record has another version by now.
 *
 * The old row is read, and locked, only where something needs it: a business rule, the columns that subscribers see as
 * changed, or the label.
 */
export async function updateOf<R extends RecordType>(
  ctx: Context,
  record: R,
  update: RowUpdate<R>,
): Promise<PendingChange<R>> {
  const { id } = update;
  const values: Values = update.values;
  const isPublished = await ctx.recordEvents.hasSubscribers(ctx, record, 'update');
  const stored = new Map<string, unknown>();
  let locked: Promise<Row> | undefined;
  const lock = (): Promise<Row> =>
    (locked ??= lockRecord(ctx, record, id, isPublished ? hiddenSelectList(record) : ''));
  const isRelabeled = record.label?.from.some((name) => values[name] !== undefined) ?? false;
  let before: Row = {};
  return {
    record,
    change: 'update',
    ids: [id],
    isPublished,
    ruleRows: async () => {
      const row = await lock();
      return [{ before: row, after: rowAfter(record, row, update.values) }];
    },
    write: async () => {
      assertCustomValues(record, values);
      if (isPublished || isRelabeled) before = await lock();
      const all = { ...values };
      if (isRelabeled) deriveLabel(record, all, before);
      await compareNumbers(ctx, record, id, all);
      for (const [key, value] of storedValues(ctx, record, all)) stored.set(key, value);
      return [await writeRow(ctx, record, { id, version: update.version, values: all }, stored)];
    },
    publishedColumns: (row) => changedColumns(record, before, row, stored),
    sent: () => new Set(valueNames(values)),
  };
}

/** Updates one row as {@link PLATFORM_WRITE}, without checks, and returns it as stored. */
export async function updateRow<R extends RecordType>(
  ctx: Context,
  record: NamedType<R>,
  id: number,
  values: Readonly<Values<R>>,
): Promise<Row<R>> {
  return (await commitOne(ctx, { ...(await updateOf(ctx, record, { id, values })), steps: PLATFORM_WRITE })).row;
}

function assertCustomValues(record: RecordType, values: Values): void {
  for (const name in values) {
    const column = values[name] === null ? record.valueColumns.get(name) : undefined;
    if (column?.custom) requireCustomValue(column);
  }
}

async function writeRow<R extends RecordType>(
  ctx: Context,
  record: R,
  { id, version, values }: RowUpdate,
  stored: ReadonlyMap<string, unknown>,
): Promise<Row<R>> {
  const keys = [...stored.keys()].sort();
  const columnValues = keys.map((key) => stored.get(key) ?? null);
  const [row] = await trackWrite({ record, ids: [id], stored }, () =>
    ctx.db.query<Row<R>>(updateText(record, keys), [
      id,
      version ?? null,
      ctx.user.personId,
      ctx.clock.now(),
      ...columnValues,
    ]),
  );
  if (!row) throw versionConflict(record, await readRecord(ctx.db, record, id), values, version);
  return row;
}
