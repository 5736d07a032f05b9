import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { HasDerivedTypes } from './catalog.ts';
import type { IdAndLabelOf } from './columns.ts';
import type { RecordType } from './record.ts';
import type { ValueName, Values } from './values.ts';
import type { RecordChange } from '../ports/record-events.ts';
import type { SavePlan } from '../records/save/plan.ts';

/** What happened to a record. */
export type Change = 'insert' | 'update' | 'delete';

/**
 * A changed row, with the columns of its own type: where types derive from that of the reaction, the id and the label
 * may be under their names.
 */
export type ChangedRow<R extends RecordType> = HasDerivedTypes<R> extends true ? Omit<Row<R>, IdAndLabelOf<R>> : Row<R>;

/** Code that runs in the same transaction after a change of a record type, declared in a module's `reactions.ts`. */
export interface Reaction<R extends RecordType = RecordType> {
  /** The record type, or a base of it. */
  readonly on: R;
  readonly after: readonly Change[];
  readonly doc: string;
  /**
   * It changes the inserted record itself: the save returns the row that `run` returns, or reads it again if that is
   * undefined.
   */
  readonly changesRow?: true;
  /**
   * Sends reads that `run` will need after an insert, given the values inserted: they travel with the insert, which
   * they see. Nothing else runs meanwhile. `run` must read again what may have changed since.
   */
  readonly readAhead?: (ctx: Context, values: Readonly<Values<R>>) => Promise<void>;
  /** `row` is the record after the change (before it, for a delete); `changed` has the names of the written columns. */
  readonly run: (
    ctx: Context,
    row: ChangedRow<R>,
    change: Change,
    changed: ReadonlySet<ValueName<R>>,
  ) => Promise<Row | undefined> | Promise<void>;
}

/** A save as its checks see it. */
export interface CheckedSave<R extends RecordType = RecordType> {
  /** The record type that is saved: that of the check, or one derived from it. */
  readonly record: RecordType;
  /** The columns to be written; a check may change them. */
  readonly values: Values<R>;
  /** Undefined for an insert. */
  readonly id: number | undefined;
  /** Everything that the save requested; undefined in bulk and for records from another installation. */
  readonly plan?: SavePlan | undefined;
}

/**
 * A check of a record's values before they are stored, declared in a module's `reactions.ts`. Throws BAD_PARAMETER or
 * RULE_EXCEPTION.
 */
export interface Check<R extends RecordType = RecordType> {
  /** The record type, or a base of it. */
  readonly on: R;
  readonly doc: string;
  /** Whether there is anything to check; if not, the stored record is not read for it. Default: always. */
  readonly applies?: (ctx: Context, save: CheckedSave<R>) => Promise<boolean>;
  readonly run: (ctx: Context, save: CheckedSave<R>) => Promise<void> | void;
}

/** A change of one record as a guard sees it. */
export interface GuardedChange<R extends RecordType = RecordType> {
  /** The concrete record type: that of the guard, or one derived from it. */
  readonly record: RecordType;
  readonly change: RecordChange;
  readonly id: number;
  /** The names of the columns that an insert or update writes; empty for a delete and an undelete. */
  readonly columns: ReadonlySet<ValueName<R>>;
}

/** A change of several records, all of one type, as a guard sees it. */
export interface GuardedChanges<R extends RecordType = RecordType> extends Omit<GuardedChange<R>, 'id'> {
  readonly ids: readonly number[];
}

/** A change that is written, but not committed. */
export interface WrittenChange<R extends RecordType = RecordType> extends GuardedChange<R> {
  readonly row: ChangedRow<R>;
}

/**
 * Decides whether a record may be changed at all, declared in a module's `reactions.ts`. Unlike a check, it runs
 * for every change, whatever made it: also for deletes, undeletes and changes by the platform's own code. It reads the
 * stored record, so that no way of sending values can avoid it. Throws NO_PERMISSION or STATE_REFUSES.
 */
export interface Guard<R extends RecordType = RecordType> {
  /** The record type, or a base of it. */
  readonly on: R;
  readonly doc: string;
  /**
   * What decides. `rights`: who makes the change, whose rights are compared with those that it gives. The record type
   * is then one of access control: only users with all permissions configure calls that change it, and pages ask for
   * the own password. `record`: what is stored refuses everybody alike, as a legal hold does, or all who lack a
   * permission that the change does not give; nobody gains anything.
   */
  readonly decidesBy: 'rights' | 'record';
  /** The changes that it sees. Others do not wait for it. Default: all. */
  readonly changes?: readonly RecordChange[];
  /** Runs before an update or delete is written. */
  readonly before?: (ctx: Context, change: GuardedChange<R>) => Promise<void>;
  /**
   * Runs instead of `before` for a change that writes several records at once, if all guards that have `before` have
   * it. `change` has the same columns for all.
   */
  readonly beforeMany?: (ctx: Context, change: GuardedChanges<R>) => Promise<void>;
  /**
   * Sends the reads that `after` needs following an insert, given the inserted values: they are pipelined with the
   * insert. Nothing else runs meanwhile.
   */
  readonly readAhead?: (ctx: Context, values: Readonly<Values<R>>) => Promise<void>;
  /** Runs after an insert, update or undelete is written. */
  readonly after?: (ctx: Context, change: WrittenChange<R>) => Promise<void>;
}

/**
 * Declares a reaction. `on` types the row and the names of changed columns.
 *
 * @example
 * export const reactions = [
 *   defineReaction({ on: contact, after: ['insert'], doc: '…', run: (ctx, row) => welcome(ctx, row.ContactID) }),
 * ];
 */
export function defineReaction<R extends RecordType>(reaction: Reaction<R>): Reaction {
  // The registry calls it only with rows of this type or one derived from it.
  return reaction;
}

/** Declares a check. `on` types the values. */
export function defineCheck<R extends RecordType>(check: Check<R>): Check {
  // The registry calls it only with values of this type or one derived from it.
  return check;
}

/** Declares a guard. `on` types the names of columns. */
export function defineGuard<R extends RecordType>(guard: Guard<R>): Guard {
  // The registry calls it only for records of this type or one derived from it.
  return guard;
}
