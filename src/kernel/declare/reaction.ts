import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { RecordType } from './record.ts';
import type { SavePlan } from '../records/save/plan.ts';

/** What happened to a record. */
export type Change = 'insert' | 'update' | 'delete';

/** A consequence of a change to a record type, declared as data in a module's `reactions.ts`. It runs in the change's transaction. */
export interface Reaction {
  /** The record type, or a base of it. */
  readonly on: string;
  readonly after: readonly Change[];
  readonly doc: string;
  /** It changes the record itself after an insert: the answer of the save is what `run` gives back, or read again where that is nothing. */
  readonly changesRow?: true;
  /** `row` is the record as it now is (or was, when deleted); `changed` the lower-cased names of the columns that were written. */
  readonly run: (
    ctx: Context,
    row: Row,
    change: Change,
    changed: ReadonlySet<string>,
  ) => Promise<Row | undefined | void>;
}

/** A check of a record's values before they are stored, declared in a module's `reactions.ts`; throws BAD_PARAMETER or RULE_EXCEPTION. */
export interface Check {
  readonly on: string;
  readonly doc: string;
  /** Whether there is anything to check; where there is nothing, a stored record is not looked up for it. Left out: always. */
  readonly applies?: (ctx: Context, values: ReadonlyMap<string, unknown>, id: number | undefined) => Promise<boolean>;
  /**
   * `values` holds the columns that will be written, by lower-cased name, and may be changed; `id` is absent on an insert. `plan` is
   * all that the save was asked for; absent where records are stored in bulk or come from another installation.
   */
  readonly run: (
    ctx: Context,
    record: RecordType,
    values: Map<string, unknown>,
    id: number | undefined,
    plan?: SavePlan,
  ) => Promise<void> | void;
}

/** Declares what follows changes of a module's records. */
export function defineReactions(reactions: readonly Reaction[]): readonly Reaction[] {
  return reactions;
}

/** Declares what is checked before a module's records are stored. */
export function defineChecks(checks: readonly Check[]): readonly Check[] {
  return checks;
}
