import { parentOf, type Row, versionOf } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { PlatformError, type Alert } from '../../door/errors.ts';
import { f } from '../../declare/field.ts';
import { bad } from '../../parameters/parse-value.ts';
import { valueText } from '../../parameters/value-text.ts';
import { trackingNames, type Column, type RecordType } from '../../declare/record.ts';
import { requireColumn, type Values } from '../../declare/values.ts';
import { arrayLiteral } from '../../database/store.ts';
import { parentValues, planColumns, type SavePlan } from '../save/plan.ts';
import { pastQueryText, readPast, type PastReader } from './point-in-time.ts';
import { numbersDiffer } from '../save/number-comparison.ts';
import { openNumber, storedName } from '../save/protect.ts';
import { assertSaveAllowed } from '../save/save-authorization.ts';
import { selectListOf, tablesOf } from '../../database/sql.ts';
import { concreteTypeOf } from '../save/concrete-type.ts';
import { differs, versionConflict } from '../save/version-conflict.ts';
import { lockRecord } from '../save/lock-record.ts';
import { saveRecord } from '../save/save-record.ts';

/**
 * What to restore: the record as it was at an instant, or before one call changed it. Exactly one of the two is given.
 */
export interface RollbackRequest {
  readonly at: string | undefined;
  readonly callId: string | undefined;
  /** The fields to restore; undefined for all. */
  readonly fields: readonly string[] | undefined;
  /** The version that the record must have; undefined for any. */
  readonly version: number | undefined;
  /** Returns what would change, and changes nothing. */
  readonly preview: boolean;
}

/** The fields of the answer: one restored field. */
export const rollbackFields = {
  Field: f.text({ doc: 'The field.' }),
  OldValue: f.text({ doc: 'The value before the rollback.' }),
  NewValue: f.text({ doc: 'The restored value.' }),
};

/** One row of the answer. */
export interface RestoredField {
  readonly Field: string;
  readonly OldValue: string | null;
  readonly NewValue: string | null;
}

/** A record as it is and as it was. The rows hold protected numbers masked, and sealed under `cipher …`. */
interface RecordStates {
  readonly now: Row;
  readonly then: Row;
  /** `table.column` of the fields that the call changed; undefined (all) for an instant. */
  readonly touched: ReadonlySet<string> | undefined;
  /** The record right after the call, where other calls have changed it since. */
  readonly after: Row | undefined;
  readonly later: readonly ChangeEntry[];
}

/**
 * Restores a record's own fields through the same save as any other change, with its checks, reactions and history, so
 * that a rollback can itself be rolled back. Keeps fields that history does not store, and computed fields except those
 * by which a merge moved the record. Locks the record first, so that nothing changes between reading and saving.
 * Returns the fields that changed.
 */
export async function rollBack(
  ctx: Context,
  record: RecordType,
  id: number,
  request: RollbackRequest,
): Promise<RestoredField[]> {
  const concrete = await concreteTypeOf(ctx, record, id);
  const now = await lockRecord(ctx, concrete, id, sealedSelectList(concrete));
  const states = await readStates(ctx, { record: concrete, id, now }, request);
  const restorable = [...restorableFields(concrete), ...movedFields(concrete, states)];
  const changing = selectedFields(concrete, restorable, request.fields).filter(
    (column) => (states.touched?.has(physicalName(column)) ?? true) && isDifferent(ctx, column, now, states.then),
  );
  assertUnchangedSince(ctx, { record: concrete, id }, changing, states);
  const values: Values = Object.fromEntries(
    changing.map((column) => [column.valueName, restoredValue(ctx, column, states.then)]),
  );
  if (request.version !== undefined && versionOf(now) !== request.version)
    throw versionConflict(concrete, now, values, request.version);
  if (request.fields === undefined) warnComputedFields(ctx, concrete, states, restorable);
  if (changing.length > 0 && !request.preview)
    await saveRestored(ctx, restoringPlan(concrete, id, values, states.then), request.version);
  return changing.map((column) => ({
    Field: column.name,
    OldValue: textOf(now[column.name]),
    NewValue: textOf(states.then[column.name]),
  }));
}

/** A locked record. */
interface LockedRecord {
  readonly record: RecordType;
  readonly id: number;
  readonly now: Row;
}

function readStates(ctx: Context, locked: LockedRecord, { at, callId }: RollbackRequest): Promise<RecordStates> {
  if ((at === undefined) === (callId === undefined))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'At',
      message: 'At: send either At (an instant) or CallID (the call to undo).',
    });
  const read: PastReader = (text, params) => ctx.transaction().elevated((db) => db.query(text, params));
  return callId === undefined ? statesAt(ctx, read, locked, at ?? '') : statesAroundCall(read, locked, callId);
}

function restoringPlan(record: RecordType, id: number, values: Values, then: Row): SavePlan {
  const plan: SavePlan = { ...planColumns(record, values), id, isRestore: true };
  const parent = parentValues(plan);
  // A save takes both columns of a parent or neither. Of other records, Object is a field like any other.
  if (record.parent === undefined) return plan;
  if (parent.Object === undefined && parent.ObjectID === undefined) return plan;
  const past = parentOf(then);
  parent.Object = past?.className ?? null;
  parent.ObjectID = past?.id ?? null;
  return plan;
}

async function saveRestored(ctx: Context, plan: SavePlan, version: number | undefined): Promise<void> {
  if (version !== undefined) plan.version = version;
  await assertSaveAllowed(ctx, plan);
  await saveRecord(ctx, plan, 'update');
}

async function statesAt(
  ctx: Context,
  read: PastReader,
  { record, id, now }: LockedRecord,
  at: string,
): Promise<RecordStates> {
  if (at > ctx.clock.now()) throw bad('At', 'a time in the past');
  const then = await readPast(read, record, { id, at }, sealedSelectList(record));
  return { now, then, touched: undefined, after: undefined, later: [] };
}

/** One change of one table's row. */
interface ChangeEntry {
  readonly historyid: number;
  readonly at: string;
  readonly callid: string | null;
  readonly change: string;
  readonly tablename: string;
  readonly names: readonly string[];
  /** The document of custom fields before the change, where it changed one. */
  readonly custom: Readonly<Record<string, unknown>> | null;
}

/** Most changes since a call that undoing it examines. */
const ENTRIES_MAX = 10_000;

/** Reads the record before a call changed it, and right after: before the first change by another call. */
async function statesAroundCall(
  read: PastReader,
  { record, id, now }: LockedRecord,
  callId: string,
): Promise<RecordStates> {
  const found = await read<ChangeEntry>(
    `select historyid, at, callid, change, tablename,
       (select coalesce(jsonb_agg(key), '[]') from jsonb_object_keys(old) key) as names,
       case when old ? '${CUSTOM_COLUMN}' then coalesce(nullif(old -> '${CUSTOM_COLUMN}', 'null'), '{}') end as custom
     from history
     where tablename = any($2::text[]) and recordid = $1::bigint
       and historyid >= (select min(historyid) from history
         where tablename = any($2::text[]) and recordid = $1::bigint and callid = $3::text)
     order by historyid limit ${ENTRIES_MAX}`,
    [id, arrayLiteral(tablesOf(record).map((t) => t.table)), callId],
  );
  const entries = expandCustomFields(record, found, now);
  const own = entries.filter((e) => e.callid === callId);
  const [first] = own;
  if (!first)
    throw new PlatformError('NOT_FOUND', {
      field: 'CallID',
      message: `CallID: the history of ${record.name} ${id} has no change by this call.`,
    });
  if (own.some((e) => e.change !== 'update'))
    throw new PlatformError('STATE_REFUSES', {
      field: 'CallID',
      message: `CallID: that call deleted or undeleted ${record.name} ${id}; use undelete or delete to reverse it.`,
    });
  if (entries.length === ENTRIES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'CallID',
      message:
        `CallID: the record has changed more than ${ENTRIES_MAX} times since that call; ` +
        'roll back to an instant instead.',
    });
  const next = entries.find((e) => e.callid !== callId);
  const touched = new Set(own.flatMap((e) => e.names.map((name) => `${e.tablename}.${name}`)));
  const before = await stateBefore(read, record, id, first.historyid);
  return {
    now,
    then: before,
    touched,
    after: next === undefined ? undefined : await stateBefore(read, record, id, next.historyid),
    later: entries.filter((e) => e.callid !== callId),
  };
}

/**
 * Returns the changes with custom fields among their names: those whose value differs in the next change's document, or
 * now.
 */
function expandCustomFields(record: RecordType, entries: readonly ChangeEntry[], now: Row): readonly ChangeEntry[] {
  const columns = [...record.columns.values()].filter((column) => column.custom);
  const later = new Map(columns.map((column) => [column, textOf(now[column.name])]));
  return entries
    .toReversed()
    .map((entry) => {
      if (entry.custom === null) return entry;
      const changed: string[] = [];
      for (const column of columns) {
        const old = textOf(entry.custom[column.custom?.member ?? '']);
        if (old !== later.get(column)) changed.push(column.column);
        later.set(column, old);
      }
      return { ...entry, names: [...entry.names, ...changed] };
    })
    .toReversed();
}

async function stateBefore(read: PastReader, record: RecordType, id: number, historyId: number): Promise<Row> {
  const [row] = await read<Record<string, unknown>>(
    pastQueryText(record, { bound: 'change', ids: 'one', list: `${selectListOf(record)}${sealedSelectList(record)}` }),
    [id, historyId],
  );
  if (!row)
    throw new PlatformError('STATE_REFUSES', {
      field: 'CallID',
      message: `CallID: the history of ${record.name} ${id} is incomplete.`,
    });
  return row;
}

/**
 * Throws STATE_REFUSES, with which call changed what and when, where another call has changed one of the fields since.
 */
function assertUnchangedSince(
  ctx: Context,
  { record, id }: { readonly record: RecordType; readonly id: number },
  changing: readonly Column[],
  { now, after, later }: RecordStates,
): void {
  if (!after) return;
  const changed = changing.filter((column) => isDifferent(ctx, column, now, after));
  if (changed.length === 0) return;
  const alerts = changed.map((column): Alert => {
    const by = later.find(
      (e) => e.tablename === column.table && e.names.includes(physicalName(column).slice(column.table.length + 1)),
    );
    const origin = by === undefined ? '' : ` at ${by.at} by call ${by.callid ?? '(none)'}`;
    return { code: 'CHANGED_SINCE', id, text: `${column.name} was changed again${origin}.` };
  });
  const names = changed.map((column) => column.name);
  const verb = names.length === 1 ? 'was' : 'were';
  throw new PlatformError('STATE_REFUSES', {
    field: 'CallID',
    message:
      `CallID: ${names.join(', ')} of ${record.name} ${id} ${verb} changed again after that call; ` +
      'nothing was undone. Send the other fields in Fields, or roll back to an instant.',
    details: { Fields: names },
    alerts,
  });
}

const restorableByRecord = new WeakMap<RecordType, readonly Column[]>();

/** Returns the columns that callers may set, each once: no ids, tracking columns, secrets or computed columns. */
function restorableFields(record: RecordType): readonly Column[] {
  let fields = restorableByRecord.get(record);
  if (!fields) {
    const found = record.shown.filter(
      (c) => !c.field.computed && c.column !== 'version' && c.column !== `${c.table}id`,
    );
    // A synonym is the same column under another name.
    restorableByRecord.set(record, (fields = [...new Map(found.map((each) => [each.valueName, each])).values()]));
  }
  return fields;
}

/** Returns `table.column` of a field in history; of a protected number its ciphertext. */
function physicalName(column: Column): string {
  return `${column.table}.${storedName(column)}`;
}

/** Returns the computed columns that are restored because the call moved the record. */
function movedFields(record: RecordType, { touched }: RecordStates): readonly Column[] {
  const { restoredIfMoved: moved } = record;
  if (!moved || !touched?.has(physicalName(requireColumn(record, moved.by)))) return [];
  return moved.columns.map((name) => requireColumn(record, name));
}

function selectedFields(
  record: RecordType,
  all: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return all;
  return fields.map((name) => {
    const column = record.columns.get(name.toLowerCase());
    const found = column && all.find((each) => each.valueName === column.valueName);
    if (!found)
      throw bad('Fields', `names of restorable fields of ${record.name} (${all.map((each) => each.name).join(', ')})`);
    return found;
  });
}

const sealedColumnName = (column: Column): string => `cipher ${column.name}`;

function sealedSelectList(record: RecordType): string {
  return record.shown
    .filter((c) => c.field.kind === 'ssn')
    .map((c) => `, ${physicalName(c)} as "${sealedColumnName(c)}"`)
    .join('');
}

/** Whether two rows differ in a column; in a protected number, as far as the caller may know. */
function isDifferent(ctx: Context, column: Column, a: Row, b: Row): boolean {
  if (column.field.kind === 'ssn')
    return numbersDiffer(ctx, column, a[sealedColumnName(column)], b[sealedColumnName(column)]);
  return differs(column, a[column.name], b[column.name]);
}

function restoredValue(ctx: Context, column: Column, row: Row): unknown {
  return column.field.kind === 'ssn'
    ? openNumber(ctx.cipher, column, row[sealedColumnName(column)])
    : (row[column.name] ?? null);
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return valueText(value);
}

/** Warns of computed fields that a rollback does not restore, such as a file's hash or a ledger's balance. */
function warnComputedFields(
  ctx: Context,
  record: RecordType,
  { now, then, touched }: RecordStates,
  restored: readonly Column[],
): void {
  const own = new Set([
    record.name,
    record.root.name,
    ...(record.label ? [record.root.name] : []),
    'RecordClass',
    ...trackingNames,
  ]);
  const last = new Set([...record.columns.values()].map((c) => c.field.last));
  const staying = record.shown.filter(
    (c) =>
      c.field.computed &&
      !restored.includes(c) &&
      !own.has(c.name) &&
      !last.has(c.name) &&
      c.column !== `${c.table}id` &&
      (touched?.has(physicalName(c)) ?? true) &&
      differs(c, now[c.name], then[c.name]),
  );
  if (staying.length > 0)
    ctx.alert({
      code: 'COMPUTED_FIELD',
      text: `${staying.map((c) => c.name).join(', ')}: computed by the platform, not restored.`,
    });
}
