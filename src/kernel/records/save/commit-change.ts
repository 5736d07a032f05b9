import { recordId, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { reachCacheOf } from '../../door/reach-cache.ts';
import type { Change, Guard } from '../../declare/reaction.ts';
import type { ColumnName } from '../../declare/columns.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import type { ValueName } from '../../declare/values.ts';
import { fromOf, idOf, selectListOf } from '../../database/sql.ts';
import { arrayLiteral } from '../../database/store.ts';
import { assertMayConfigureCalls, callsBefore, readsCalls, type CallsBefore } from './configured-calls.ts';
import type { RuleEvent } from '../../ports/business-rules.ts';
import type { RecordChange } from '../../ports/record-events.ts';

/**
 * A change of records of one type that is about to be stored: of one record, or in bulk of many. The ways of changing
 * records (insert, update, delete, bulk insert, bulk delete, undelete) differ in what they put here, and in nothing
 * else.
 */
export interface PendingChange<R extends RecordType = RecordType> {
  /** The concrete record type. */
  readonly record: R;
  readonly change: RecordChange;
  /** The locked rows that a delete removes. */
  readonly before?: readonly Row<R>[];
  /** The records of an update or delete. Those of other changes have no row yet. */
  readonly ids?: readonly number[];
  /** Returns what the business rules see of each record. Called before the write, and only where a rule applies. */
  readonly ruleRows?: () => Promise<readonly RuleRows[]>;
  /**
   * Writes all records, with as many statements for many as for one. Returns them in order, as stored; as they were,
   * for a delete.
   */
  readonly write: () => Promise<readonly Row<R>[]>;
  /** Sends the reads of guards and reactions as soon as `write` has sent its statement. Never throws. */
  readonly readAhead?: (() => Promise<void>) | undefined;
  /** Whether there are subscribers; only where that had to be known before the write. */
  readonly isPublished?: boolean;
  /** Returns the declared names of the columns that subscribers see as changed in a row. Default: none. */
  readonly publishedColumns?: (row: Row) => readonly ColumnName<R>[];
  /** Stores, deletes or restores what belongs to the records by their ids: their external IDs and links. */
  readonly writeIdentities?: (ids: readonly number[]) => Promise<void>;
  /** Returns the names of the columns that were sent for the nth record. Default: none. */
  readonly sent?: (n: number) => ReadonlySet<ValueName<R>>;
  /** The steps to take; default {@link ALL_STEPS}. */
  readonly steps?: CommitSteps;
  /** The caller applies rule sets itself, after the record's children are saved: {@link applyRuleSets}. */
  readonly defersRuleSets?: true;
}

/** A record before and after a change, as business rules see it. */
export type RuleRows = Pick<RuleEvent, 'before' | 'after'>;

/** Which steps a change takes. A step is omitted only by a constant that gives the reason. */
export interface CommitSteps {
  readonly rules: 'before write' | 'after write' | 'omitted';
  /**
   * Notes the rows as written by the caller: they are known to be visible, and count in `ctx.writeCounts`. `reach`:
   * they do not count.
   */
  readonly note: 'taken' | 'reach' | 'omitted';
  readonly reactions: 'taken' | 'omitted';
}

/** The steps of a change that a caller requested. */
export const ALL_STEPS: CommitSteps = { rules: 'before write', note: 'taken', reactions: 'taken' };

/**
 * The steps of the platform's own bookkeeping, such as the state of a run or the hash of a key. No caller chose the
 * values, so no business rule may refuse them, and the code that writes them itself does what follows from them.
 */
export const PLATFORM_WRITE: CommitSteps = { rules: 'omitted', note: 'omitted', reactions: 'omitted' };

/** A stored record of a change. */
export interface CommittedRecord<R extends RecordType = RecordType> {
  /** The record as it was stored, or as it was before a delete. */
  readonly row: Row<R>;
  /** The record as the reactions left it; undefined where it must be read again. */
  readonly current: Row | undefined;
  /** Whether a rule set has changed it since. */
  readonly isDecided: boolean;
}

/**
 * Stores a change with everything that belongs to it, in the call's transaction. All changes of records go through
 * here. The steps, in this order:
 *
 * 1. **Guards** of updates and deletes, on the stored records; those of other changes, and of updates again, run right
 *    after the write. No step list omits them. Calls that configuration makes are compared likewise: whoever adds one
 *    must be allowed to make it.
 * 2. **Business rules**, on final values and locked rows, before anything is written.
 * 3. **Events of a delete**: which firms may learn of it is known only while the row is there.
 * 4. **Write.** The database's triggers write history and visibility. The reactions' reads are sent right after.
 * 5. **Configuration version**: later steps must read changed configuration anew.
 * 6. **Events** of other changes, with the columns as stored. Before the reactions, whose own changes are later events.
 * 7. **Note** that the caller wrote the rows: reactions may refer to them without being checked for visibility again.
 * 8. **External IDs and links**, by which reactions may look the record up.
 * 9. **Reactions**, one record after the other: each sees everything above.
 * 10. **Rule sets** that apply themselves to such changes; a save applies them after the record's children.
 *
 * The checks of a record type run before, since they may still change the values (see `run-checks.ts`).
 */
export async function commitChange<R extends RecordType>(
  ctx: Context,
  change: PendingChange<R>,
): Promise<readonly CommittedRecord<R>[]> {
  const { record, before, steps = ALL_STEPS } = change;
  const isDelete = change.change === 'delete';
  // Almost all types have neither guards nor calls: each wait costs every record of an import.
  const calls = isGuarded(ctx, change) ? await guardStored(ctx, change) : undefined;
  if (steps.rules === 'before write') await enforceRules(ctx, change, change.ruleRows);
  if (isDelete) await publishRows(ctx, change, before ?? []);
  const rows = await (steps.reactions === 'taken' ? writeAndReadAhead(ctx, change) : change.write());
  if (calls) await guardWritten(ctx, change, rows, calls);
  if (steps.rules === 'after write') await enforceRules(ctx, change, async () => rows.map((row) => ({ after: row })));
  if (isConfiguration(record)) ctx.configurationChanged();
  if (!isDelete) await publishRows(ctx, change, rows);
  note(ctx, change, rows, steps.note);
  await change.writeIdentities?.(rows.map((row) => recordId(record, row)));
  if (steps.reactions === 'omitted') return rows.map((row) => ({ row, current: row, isDecided: false }));
  const committed: CommittedRecord<R>[] = [];
  for (const [n, row] of rows.entries()) committed.push(await reactAndDecide(ctx, change, row, n));
  return committed;
}

/** Runs the reactions to one stored record, then the rule sets that apply themselves to it. */
async function reactAndDecide<R extends RecordType>(
  ctx: Context,
  change: PendingChange<R>,
  row: Row<R>,
  n: number,
): Promise<CommittedRecord<R>> {
  const { record } = change;
  const current = await runReactions(ctx, change, row, n);
  const isDecided =
    change.defersRuleSets !== true && (await applyRuleSets(ctx, record, change.change, recordId(record, row)));
  return { row, current: isDecided ? undefined : current, isDecided };
}

/** Applies the rule sets that apply themselves to a change of a record. Returns whether they changed it. */
export async function applyRuleSets(
  ctx: Context,
  record: RecordType,
  change: RecordChange | 'none',
  id: number,
): Promise<boolean> {
  if (change !== 'insert' && change !== 'update') return false;
  return (await ctx.ruleSets.applies(ctx, record, change)) && ctx.ruleSets.applyTo(ctx, { record, id, change });
}

/** Notes rows as written by the caller, as far as the steps say. */
function note(ctx: Context, change: PendingChange, rows: readonly Row[], extent: CommitSteps['note']): void {
  if (extent === 'taken') countWritten(ctx, change, rows);
  if (extent !== 'omitted') noteReach(ctx, change, rows);
}

function isGuarded(ctx: Context, change: PendingChange): boolean {
  return guardsOf(ctx, change).length > 0 || readsCalls(ctx, change.record);
}

/** Returns the guards that see a change. Almost all have none. */
function guardsOf(ctx: Context, { record, change }: PendingChange): readonly Guard[] {
  return ctx.registry.guards(record).filter(({ changes }) => changes?.includes(change) ?? true);
}

/** Runs the guards of stored records, and returns the calls that these configure. */
async function guardStored(ctx: Context, change: PendingChange): Promise<CallsBefore> {
  await runGuards(ctx, change, 'before');
  return callsBefore(ctx, change.record, change.change === 'update' ? (change.ids ?? []) : []);
}

/** Runs the guards of written records, and those of the calls that they configure; nothing after a delete. */
async function guardWritten(
  ctx: Context,
  change: PendingChange,
  rows: readonly Row[],
  calls: CallsBefore,
): Promise<void> {
  if (change.change === 'delete') return;
  await runGuards(ctx, change, 'after', rows);
  await assertMayConfigureCalls(ctx, change.record, rows, calls);
}

/** Runs the guards that see a change: before it, or after it with the written rows. */
async function runGuards(
  ctx: Context,
  pending: PendingChange,
  when: 'before' | 'after',
  written: readonly Row[] = [],
): Promise<void> {
  const guards = guardsOf(ctx, pending);
  if (guards.length === 0) return;
  const { record, change, sent = () => noColumns } = pending;
  if (ctx.registry.isAccessControl(record)) ctx.accessChanged();
  if (when === 'before') return runGuardsBefore(ctx, pending, guards);
  for (const [n, row] of written.entries())
    for (const guard of guards)
      await guard.after?.(ctx, { record, change, id: recordId(record, row), columns: sent(n), row });
}

/** Runs guards before a change, for each record or, if they can, for all together. */
async function runGuardsBefore(
  ctx: Context,
  { record, change, ids = [], sent = () => noColumns }: PendingChange,
  guards: readonly Guard[],
): Promise<void> {
  if (ids.length > 1 && guards.every((guard) => !guard.before || guard.beforeMany)) {
    for (const guard of guards) await guard.beforeMany?.(ctx, { record, change, ids, columns: sent(0) });
    return;
  }
  for (const [n, id] of ids.entries())
    for (const guard of guards) await guard.before?.(ctx, { record, change, id, columns: sent(n) });
}

/**
 * Writes, and sends the reactions' reads right after. Both have ended when it returns. The reads may run as a different
 * user than the caller, so they are sent only if the write has already sent its statement.
 */
async function writeAndReadAhead<R extends RecordType>(
  ctx: Context,
  { write, readAhead }: PendingChange<R>,
): Promise<readonly Row<R>[]> {
  if (!readAhead) return write();
  const transaction = ctx.transaction();
  const before = transaction.statementCount;
  const writing = write();
  const reading = transaction.statementCount > before ? readAhead() : undefined;
  try {
    return await writing;
  } finally {
    await reading;
  }
}

/** Like {@link commitChange} for a change of one record. */
export async function commitOne<R extends RecordType>(
  ctx: Context,
  change: PendingChange<R>,
): Promise<CommittedRecord<R>> {
  const [committed] = await commitChange(ctx, change);
  if (!committed) throw new Error(`the ${change.change} of a ${change.record.name} returned no row`);
  return committed;
}

/** Rows of one type that a module's own statements have written. */
export interface WrittenRows<R extends RecordType = RecordType> {
  readonly record: R;
  readonly change: Extract<RecordChange, 'insert' | 'update'>;
  readonly ids: readonly number[];
  /** Returns the declared names of the columns that subscribers see as changed. */
  readonly publishedColumns: (row: Row) => readonly ColumnName<R>[];
}

/**
 * Commits rows that a module's own statements have written as {@link PLATFORM_WRITE}: state that the platform computes
 * for many rows at once, such as the steps of a workflow or the items of a queue. Only the events are left to do; the
 * rows are read only where there is a subscriber.
 */
export async function commitWritten<R extends RecordType>(ctx: Context, written: WrittenRows<R>): Promise<void> {
  const { record, change, ids, publishedColumns } = written;
  if (ids.length === 0 || !(await ctx.recordEvents.hasSubscribers(ctx, record, change))) return;
  const rows: Row[] = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const byId = new Map(rows.map((row) => [recordId(record, row), row]));
  const inOrder = ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  await commitChange(ctx, {
    record,
    change,
    write: async () => inOrder as Row<R>[],
    isPublished: true,
    publishedColumns,
    steps: PLATFORM_WRITE,
  });
}

/** The names of changes in business rules. An undelete is a call with rules of its own, which the door enforces. */
const ruleOperations = { insert: 'Insert', update: 'Update', delete: 'Delete', undelete: undefined } as const;

async function enforceRules(
  ctx: Context,
  { record, change }: PendingChange,
  ruleRows: PendingChange['ruleRows'],
): Promise<void> {
  const operation = ruleOperations[change];
  if (operation === undefined || !ruleRows || !(await ctx.businessRules.applies(record, operation))) return;
  for (const rows of await ruleRows()) await ctx.businessRules.enforce(ctx, { operation, of: record, ...rows });
}

async function publishRows(ctx: Context, change: PendingChange, rows: readonly Row[]): Promise<void> {
  const { record, publishedColumns } = change;
  if (!(change.isPublished ?? (await ctx.recordEvents.hasSubscribers(ctx, record, change.change)))) return;
  const events = rows.map((row) => ({ row, changed: publishedColumns?.(row) ?? [] }));
  // A save that changes nothing is no event.
  const published = change.change === 'update' ? events.filter(({ changed }) => changed.length > 0) : events;
  if (published.length > 0) await ctx.recordEvents.publish(ctx, record, change.change, published);
}

function countWritten({ writeCounts }: Context, { change }: PendingChange, rows: readonly Row[]): void {
  if (change === 'update') writeCounts.updated += rows.length;
  if (change === 'insert') writeCounts.inserted += rows.length;
}

function noteReach(ctx: Context, { record, change }: PendingChange, rows: readonly Row[]): void {
  const cache = reachCacheOf(ctx);
  const ids = rows.map((row) => recordId(record, row));
  if (change === 'insert') for (const id of ids) cache?.noteCreated(record, id);
  if (change === 'update') for (const id of ids) cache?.grant(record, id);
  if (change === 'delete') cache?.forgetDeleted(record, ids);
}

const noColumns: ReadonlySet<string> = new Set();

/** Runs the reactions to one stored record. Returns it as they left it; undefined where it must be read again. */
async function runReactions(
  ctx: Context,
  { record, change, sent }: PendingChange,
  row: Row,
  n: number,
): Promise<Row | undefined> {
  // A restored record is new to the records around it.
  const reactedTo: Change = change === 'undelete' ? 'insert' : change;
  let current: Row | undefined = row;
  const changed = sent?.(n) ?? noColumns;
  for (const reaction of ctx.registry.reactions(record)) {
    if (!reaction.after.includes(reactedTo)) continue;
    const after = await reaction.run(ctx, row, reactedTo, changed);
    // Of two reactions that change the record, neither knows the other's result.
    if (reaction.changesRow) current = current === row ? (after ?? undefined) : undefined;
  }
  return current;
}
