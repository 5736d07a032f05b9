import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { PlatformError, type Alert } from '../../door/errors.ts';
import { f } from '../../declare/field.ts';
import { bad } from '../../parameters/parse-value.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import type { SavePlan } from '../save/plan.ts';
import { pastQueryText, readPast, type PastReader } from './point-in-time.ts';
import { protectionPurpose } from '../save/protect.ts';
import { assertSaveAllowed } from '../save/save-authorization.ts';
import { selectListOf, tablesOf } from '../../database/sql.ts';
import { concreteTypeOf } from '../save/concrete-type.ts';
import { differs, versionConflict } from '../save/version-conflict.ts';
import { lockRecord } from '../save/lock-record.ts';
import { saveRecord } from '../save/save-record.ts';

/** What to bring back: the record as it was at an instant, or what it was before one call changed it. One of both is given. */
export interface RollbackRequest {
  readonly at: string | undefined;
  readonly callId: string | undefined;
  /** The fields to bring back; all where it is not given. */
  readonly fields: readonly string[] | undefined;
  /** Where given, an older version than the record's is refused. */
  readonly version: number | undefined;
  /** Only tells what would change. */
  readonly preview: boolean;
}

/** One field that is brought back. */
export const rollbackFields = {
  Field: f.text({ doc: 'The field.' }),
  OldValue: f.text({ doc: 'What it is before the rollback.' }),
  NewValue: f.text({ doc: 'What it is brought back to.' }),
};

/** One row of the answer. */
export interface RestoredField {
  readonly Field: string;
  readonly OldValue: string | null;
  readonly NewValue: string | null;
}

/** A column that callers may set, with the name under which a save knows it. */
interface RestorableField {
  readonly key: string;
  readonly column: Column;
}

/** A record as it is and as it was; protected numbers stand in the rows masked, under `cipher …` sealed. */
interface RecordStates {
  readonly now: Row;
  readonly then: Row;
  /** The fields that the call changed; all where an instant was given. */
  readonly touched: ReadonlySet<string> | undefined;
  /** What each field was right after the call, where other calls changed the record since. */
  readonly after: Row | undefined;
  readonly later: readonly ChangeEntry[];
}

/**
 * Brings a record's own fields back to what they were, through the same save as any other change: checks, reactions and history
 * follow, so that a rollback can itself be rolled back. What the platform computes stays as it is, and so does what history never
 * sees. The record is locked first: between reading and saving nobody else changes it.
 */
export async function rollBack(
  ctx: Context,
  record: RecordType,
  id: number,
  wanted: RollbackRequest,
): Promise<RestoredField[]> {
  const concrete = await concreteTypeOf(ctx, record, id);
  const now = await lockRecord(ctx, concrete, id, sealedSelectList(concrete));
  if ((wanted.at === undefined) === (wanted.callId === undefined))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'At',
      message: 'At: send either At, an instant, or CallID, a call whose change is to be undone.',
    });
  const read: PastReader = (text, params) => ctx.transaction().elevated((db) => db.query(text, params));
  const states =
    wanted.callId === undefined
      ? await statesAt(ctx, read, concrete, id, now, wanted.at ?? '')
      : await statesAroundCall(read, concrete, id, now, wanted.callId);
  const chosen = selectedFields(concrete, wanted.fields);
  const changing = chosen.filter(
    (c) => (states.touched?.has(physicalName(c.column)) ?? true) && isDifferent(ctx, c.column, now, states.then),
  );
  assertUnchangedSince(ctx, concrete, id, changing, states);
  const values = new Map(changing.map((c) => [c.key, restoredValue(ctx, c.column, states.then)]));
  if (wanted.version !== undefined && now['Version'] !== wanted.version)
    throw versionConflict(concrete, now, values, wanted.version);
  if (wanted.fields === undefined) warnComputedFields(ctx, concrete, states);
  if (values.size > 0 && !wanted.preview) await saveRestored(ctx, concrete, id, values, states.then, wanted.version);
  return changing.map(({ column }) => ({
    Field: column.name,
    OldValue: textOf(now[column.name]),
    NewValue: textOf(states.then[column.name]),
  }));
}

async function saveRestored(
  ctx: Context,
  record: RecordType,
  id: number,
  values: Map<string, unknown>,
  then: Row,
  version: number | undefined,
): Promise<void> {
  // A parent is named by both of its columns, or not at all.
  if (values.has('object') || values.has('objectid'))
    values.set('object', then['Object'] ?? null).set('objectid', then['ObjectID'] ?? null);
  const plan: SavePlan = {
    record,
    values,
    id,
    ...(version === undefined ? {} : { version }),
    subscribers: new Map(),
    links: new Map(),
    collections: new Map(),
    answers: new Map(),
    mergeAnswers: false,
    parent: new Map(),
    ignored: [],
  };
  await assertSaveAllowed(ctx, plan);
  await saveRecord(ctx, plan, 'update');
}

async function statesAt(
  ctx: Context,
  read: PastReader,
  record: RecordType,
  id: number,
  now: Row,
  at: string,
): Promise<RecordStates> {
  if (at > ctx.clock.now()) throw bad('At', 'an instant that has passed');
  return {
    now,
    then: await readPast(read, record, id, at, sealedSelectList(record)),
    touched: undefined,
    after: undefined,
    later: [],
  };
}

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

/** The most changes since a call that an undo looks through. */
const ENTRIES_MAX = 10_000;

/** The record before a call changed it, and right after: before the first change that another call made. */
async function statesAroundCall(
  read: PastReader,
  record: RecordType,
  id: number,
  now: Row,
  callId: string,
): Promise<RecordStates> {
  const found = await read<ChangeEntry>(
    `select historyid, at, callid, change, tablename, (select coalesce(jsonb_agg(key), '[]') from jsonb_object_keys(old) key) as names, case when old ? '${CUSTOM_COLUMN}' then coalesce(nullif(old -> '${CUSTOM_COLUMN}', 'null'), '{}') end as custom from history
      where tablename = any($2::text[]) and recordid = $1::bigint and historyid >= (select min(historyid) from history where tablename = any($2::text[]) and recordid = $1::bigint and callid = $3::text)
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
      message: `CallID: that call deleted ${record.name} ${id} or brought it back; delete and undelete are undone by one another.`,
    });
  if (entries.length === ENTRIES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'CallID',
      message: `CallID: the record has changed more than ${ENTRIES_MAX} times since that call; roll it back to an instant instead.`,
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

/** The changes with the custom fields among their names: those whose value is another in the document of the next change, or now. */
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
      message: `CallID: the history of ${record.name} ${id} is not complete any more.`,
    });
  return row;
}

/** Fields that other calls have changed since are not overwritten: the caller is told which, by whom and when. */
function assertUnchangedSince(
  ctx: Context,
  record: RecordType,
  id: number,
  changing: readonly RestorableField[],
  { now, after, later }: RecordStates,
): void {
  if (!after) return;
  const changed = changing.filter(({ column }) => isDifferent(ctx, column, now, after));
  if (changed.length === 0) return;
  const alerts = changed.map(({ column }): Alert => {
    const by = later.find(
      (e) => e.tablename === column.table && e.names.includes(physicalName(column).slice(column.table.length + 1)),
    );
    return {
      code: 'CHANGED_SINCE',
      id,
      text: `${column.name} was changed again${by === undefined ? '' : ` at ${by.at} by call ${by.callid ?? 'of nobody'}`}.`,
    };
  });
  const names = changed.map(({ column }) => column.name);
  throw new PlatformError('STATE_REFUSES', {
    field: 'CallID',
    message: `CallID: ${names.join(', ')} of ${record.name} ${id} ${names.length === 1 ? 'was' : 'were'} changed again after that call, and nothing was undone. Name the other fields in Fields, or roll back to an instant.`,
    details: { Fields: names },
    alerts,
  });
}

const restorableByRecord = new WeakMap<RecordType, readonly RestorableField[]>();

/** The columns that callers set, each once: not ids, who and when, secrets, or what the platform computes. */
function restorableFields(record: RecordType): readonly RestorableField[] {
  let known = restorableByRecord.get(record);
  if (!known) {
    const keys = new Map<string, string>();
    for (const [key, c] of record.columns) if (!keys.has(physicalName(c))) keys.set(physicalName(c), key);
    const found = record.shown
      .filter((c) => !c.field.computed && c.column !== 'version' && c.column !== `${c.table}id`)
      .map((column) => ({ key: keys.get(physicalName(column)) ?? column.name.toLowerCase(), column }));
    // A synonym is the same column again.
    restorableByRecord.set(record, (known = [...new Map(found.map((each) => [each.key, each])).values()]));
  }
  return known;
}

/** The stored column that tells a field's changes; of a protected number the sealed one. */
function physicalName({ table, column, field }: Column): string {
  return `${table}.${column}${field.kind === 'ssn' ? 'cipher' : ''}`;
}

function selectedFields(record: RecordType, fields: readonly string[] | undefined): readonly RestorableField[] {
  const all = restorableFields(record);
  if (fields === undefined) return all;
  return fields.map((name) => {
    const column = record.columns.get(name.toLowerCase());
    const found = column && all.find((each) => physicalName(each.column) === physicalName(column));
    if (!found)
      throw bad(
        'Fields',
        `names of fields of ${record.name} that can be brought back (${all.map((each) => each.column.name).join(', ')})`,
      );
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

/** Protected numbers are compared open: sealed twice, the same number gives different bytes. */
function isDifferent(ctx: Context, column: Column, a: Row, b: Row): boolean {
  if (column.field.kind === 'ssn') return openNumber(ctx, column, a) !== openNumber(ctx, column, b);
  return differs(column, a[column.name], b[column.name]);
}

function openNumber(ctx: Context, column: Column, row: Row): string | null {
  const sealed = row[sealedColumnName(column)];
  return sealed instanceof Uint8Array ? ctx.cipher.open(protectionPurpose(column), sealed).toString() : null;
}

function restoredValue(ctx: Context, column: Column, row: Row): unknown {
  return column.field.kind === 'ssn' ? openNumber(ctx, column, row) : (row[column.name] ?? null);
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What the platform computes of other things (a file's hash, a ledger's balance) does not go back with the record. */
function warnComputedFields(ctx: Context, record: RecordType, { now, then, touched }: RecordStates): void {
  const own = new Set([
    record.name,
    record.root.name,
    ...(record.label ? [record.root.name] : []),
    'RecordClass',
    'CreatedDate',
    'CreatedPersonID',
    'UpdatedDate',
    'UpdatedPersonID',
  ]);
  const last = new Set([...record.columns.values()].map((c) => c.field.last));
  const staying = record.shown.filter(
    (c) =>
      c.field.computed &&
      !own.has(c.name) &&
      !last.has(c.name) &&
      c.column !== `${c.table}id` &&
      (touched?.has(physicalName(c)) ?? true) &&
      differs(c, now[c.name], then[c.name]),
  );
  if (staying.length > 0)
    ctx.alert({
      code: 'COMPUTED_FIELD',
      text: `${staying.map((c) => c.name).join(', ')}: computed by the platform, not brought back.`,
    });
}
