import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { RecordType } from './record.ts';
import type { SavePlan } from '../records/save/plan.ts';

/** What happened to a record. */
export type Change = 'insert' | 'update' | 'delete';

/** Code that runs in the same transaction after a change of a record type, declared in a module's `reactions.ts`. */
export interface Reaction {
  /** The record type, or a base of it. */
  readonly on: string;
  readonly after: readonly Change[];
  readonly doc: string;
  /**
   * It changes the inserted record itself: the save returns the row that `run` returns, or reads it again if that is
   * undefined.
   */
  readonly changesRow?: true;
  /**
   * `row` is the record after the change (before it, for a delete); `changed` has the lower-cased names of the written
   * columns.
   */
  readonly run: (
    ctx: Context,
    row: Row,
    change: Change,
    changed: ReadonlySet<string>,
  ) => Promise<Row | undefined> | Promise<void>;
}

/**
 * A check of a record's values before they are stored, declared in a module's `reactions.ts`. Throws BAD_PARAMETER or
 * RULE_EXCEPTION.
 */
export interface Check {
  readonly on: string;
  readonly doc: string;
  /** Whether there is anything to check; if not, the stored record is not read for it. Default: always. */
  readonly applies?: (ctx: Context, values: ReadonlyMap<string, unknown>, id: number | undefined) => Promise<boolean>;
  /**
   * `values` are the columns to be written, by lower-cased name, and may be changed. `id` is undefined for an insert.
   * `plan` is everything that the save was asked for; undefined when records are stored in bulk or imported from
   * another installation.
   */
  readonly run: (
    ctx: Context,
    record: RecordType,
    values: Map<string, unknown>,
    id: number | undefined,
    plan?: SavePlan,
    // eslint-disable-next-line max-params -- a check declares only the leading parameters that it needs
  ) => Promise<void> | void;
}

/** Declares the reactions of a module's records. */
export function defineReactions(reactions: readonly Reaction[]): readonly Reaction[] {
  return reactions;
}

/** Declares the checks of a module's records. */
export function defineChecks(checks: readonly Check[]): readonly Check[] {
  return checks;
}
