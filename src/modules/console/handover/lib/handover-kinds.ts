import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { endDateNames, openCondition } from '../../../../kernel/records/save/final-status.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** A kind of work that a user leaves behind, and how one piece of it is given to somebody else. */
export interface HandoverKind {
  readonly type: 'SmartWorklistMember' | 'ImportForm' | 'Process';
  /** The column of who has it. */
  readonly column: 'PersonID' | 'AssignedPersonID';
  /** The column of a handover with its bulk change. */
  readonly run: 'WorkItemRunID' | 'TaskRunID' | 'CaseRunID';
  /** The parameter with who gets it. */
  readonly to: 'WorkPersonID' | 'CasePersonID';
  readonly operation: string;
  /** What the caller needs for each call. */
  readonly permission: string;
  readonly words: string;
  /**
   * SQL that is true for a row `r` on which somebody has worked since it was handed over: undo leaves it where it is.
   * `isOpen` is SQL that is true for an open row.
   */
  readonly touched: (isOpen: string) => string;
}

// A task and its work item go to the same user: whichever call comes first, the other one changes nothing.
export const handoverKinds: readonly HandoverKind[] = [
  {
    type: 'SmartWorklistMember',
    column: 'PersonID',
    run: 'WorkItemRunID',
    to: 'WorkPersonID',
    operation: 'smartworklistmember/reassign',
    permission: 'SmartWorklistMemberReassign',
    words: 'work items',
    touched: (isOpen) => `r.startdate is not null or not (${isOpen})`,
  },
  {
    type: 'ImportForm',
    column: 'AssignedPersonID',
    run: 'TaskRunID',
    to: 'WorkPersonID',
    operation: 'importform/save',
    permission: 'ImportFormSave',
    words: 'tasks',
    touched: (isOpen) =>
      `not (${isOpen}) or exists (
         select from smartworklistmember i
         where i.sourceobject = 'ImportForm' and i.sourceobjectid = r.importformid and i.startdate is not null)`,
  },
  {
    type: 'Process',
    column: 'AssignedPersonID',
    run: 'CaseRunID',
    to: 'CasePersonID',
    operation: 'process/save',
    permission: 'ProcessSave',
    words: 'cases',
    touched: (isOpen) => `not (${isOpen})`,
  },
];

/** Returns the record type of a kind. */
export function recordOf({ registry }: Context, { type }: HandoverKind): RecordType {
  return registry.requireRecord(type, 'Object');
}

/** Returns the filters of a search for the open work of a user. */
export function openWorkFilters(ctx: Context, kind: HandoverKind, personId: number): Parameters {
  const none = endDateNames(recordOf(ctx, kind)).map((name) => [name, 'null'] as const);
  return { [kind.column]: String(personId), ...Object.fromEntries(none) };
}

/** Returns the kinds of which a user has open work. Throws NO_PERMISSION for one that the caller may not give away. */
export async function heldKinds(ctx: Context, personId: number): Promise<readonly HandoverKind[]> {
  const held: HandoverKind[] = [];
  for (const kind of handoverKinds) {
    const record = recordOf(ctx, kind);
    const [row] = await ctx.db.query(
      `select 1 from ${record.table} r
       where r.${kind.column.toLowerCase()} = $1::bigint and ${openCondition(record, 'r')} limit 1`,
      [personId],
    );
    if (row) held.push(kind);
  }
  const refused = held.find(({ permission }) => !ctx.user.permissions.has(permission));
  if (refused)
    throw new PlatformError('NO_PERMISSION', {
      field: 'PersonID',
      message: `PersonID: this user has open ${refused.words}. You need ${refused.permission} to reassign them.`,
    });
  return held;
}
