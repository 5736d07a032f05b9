import type { RecordType } from '../declare/record.ts';
import type { Context } from '../door/context.ts';

/** A stored record to which rule sets may apply. */
export interface RuleSetSubject {
  /** Its concrete type. */
  readonly record: RecordType;
  readonly id: number;
  readonly change: RuleSetChange;
}

/** The changes to which rule sets apply. */
export type RuleSetChange = 'insert' | 'update';

/** The port to rule sets that apply themselves to changes of records, as an installation configures. */
export interface RuleSets {
  /** Whether any rule set may apply to such a change. Reads only the cache. */
  applies(ctx: Context, record: RecordType, change: RuleSetChange): Promise<boolean>;
  /**
   * Applies them in their order, in the transaction of the change and on its authority. Does nothing for a record to
   * which they are being applied. Returns whether they changed the record.
   * @throws RULE_EXCEPTION and others, as an explicit rule set does
   */
  applyTo(ctx: Context, subject: RuleSetSubject): Promise<boolean>;
}
